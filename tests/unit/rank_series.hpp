/// \file  Series of evaluations, as requested by individual steps, on one rank and several ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <doctest/doctest.h>

#include "chamomile/core/norm.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "tests/unit/rank_sets.hpp"

namespace chamomile::tests {

/// Sets a goal that leads to equal tolerances everywhere: fixes every value otherwise chosen by
/// speed.
inline void set_goal(SolverOptions& options)
{
    options.group_size = 64;
    options.leaf_size = 16;
    options.accuracy =
        AccuracyGoal{.error = 2e-3, .criterion = Criterion::moments, .order = 2, .local_order = 6};
}

inline double squared_size(double x)
{
    return x * x;
}
inline double squared_size(const Vec3<double>& x)
{
    return norm_squared(x);
}

/// Returns the rms of a - b over that of b.
template <class T>
double rms(const std::vector<T>& a, const std::vector<T>& b)
{
    double squares = 0, whole = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        squares += squared_size(a[i] - b[i]);
        whole += squared_size(b[i]);
    }
    return std::sqrt(squares / whole);
}

/// The results of successive evaluations.
struct Series {
    std::vector<Particles> after;
    std::vector<std::vector<std::uint64_t>> figures;
};

/// Returns `count` ascending indices below n: the particles nearest to the first one, or evenly
/// spread.
inline std::vector<Index> some_of(const Particles& p, std::size_t count, bool near)
{
    std::vector<Index> all(p.size());
    std::iota(all.begin(), all.end(), Index(0));
    const auto before = [&](Index i, Index j) {
        if (near) {
            const double a = norm_squared(p.position[i] - p.position[0]),
                         b = norm_squared(p.position[j] - p.position[0]);
            return a < b || (a == b && i < j);
        }
        return i * 2654435761U < j * 2654435761U;
    };
    count = std::min(count, p.size());
    std::sort(all.begin(), all.end(), before);
    all.resize(count);
    std::sort(all.begin(), all.end());
    return all;
}

/// Evaluates few, many and all active particles, on new and kept cells, while particles move.
inline Series evaluate_blocks(Particles p, Solver& solver)
{
    struct Block {
        std::size_t count; ///< 0: all
        bool near, keeps, potentials;
    };
    const Block blocks[] = {
        {1, true, false, true},    {40, true, true, true},    {3, false, true, false},
        {700, false, true, true},  {1500, true, true, false}, {0, false, true, true},
        {200, false, false, true}, {5000, true, true, true},  {1, false, true, false},
        {60, true, true, true},    {0, false, false, true},   {9, true, true, true}};
    Series series;
    std::mt19937_64 random(3);
    std::uint64_t number = 0;
    for (const Block& block : blocks) {
        const std::vector<Index> active =
            block.count > 0 ? some_of(p, block.count, block.near) : std::vector<Index>();
        Request request = request_of(p, block.potentials ? Quantities::acceleration_potential
                                                         : Quantities::acceleration);
        request.active = active;
        request.keeps_tree = block.keeps;
        request.number = number++;
        const ForceStatistics s = solver.evaluate(request);
        series.figures.push_back({s.targets, s.groups, s.particle_particle, s.particle_cell,
                                  s.expansions, std::uint64_t(s.kept_tree)});
        series.after.push_back(p);
        for (std::size_t i = 0; i < p.size(); ++i)
            p.position[i] +=
                0.02 * norm_of_any_size(p.position[i]) *
                Vec3<double>{uniform(random) - 0.5, uniform(random) - 0.5, uniform(random) - 0.5};
    }
    return series;
}

/// Returns the first evaluation at which two series differ; -1 if none.
inline int difference(const Series& a, const Series& b)
{
    for (std::size_t k = 0; k < a.after.size(); ++k) {
        if (!same_forces(a.after[k], b.after[k]) || a.figures[k] != b.figures[k])
            return int(k);
    }
    return -1;
}

/// Calls use(options) on rank 0 of three ranks; the other ranks work for it.
template <class Use>
void on_three_ranks(const SolverOptions& options, std::optional<std::uint64_t> held_back,
                    const Use& use)
{
    run_ranks(3,
              [&](Communicator& communicator) {
                  if (communicator.rank() > 0)
                      return serve_solver(communicator);
                  SolverOptions given = options;
                  given.ranks = &communicator;
                  use(given);
                  end_serving(communicator);
              },
              {.time_limit = 120, .held_back = held_back});
}

/// Stands for three ranks with messages delayed at random, in check_blocks().
constexpr int held_back_ranks = 0;

/// Checks that `ranks` ranks evaluate the blocks with the bits of one rank.
inline void check_blocks(const Series& one, const Particles& p, const SolverOptions& options,
                         int ranks)
{
    CAPTURE(ranks);
    const auto check = [&](const SolverOptions& given) {
        CHECK(difference(one, evaluate_blocks(p, *make_solver(given))) == -1);
    };
    SolverOptions own = options;
    own.own_ranks = ranks;
    ranks == held_back_ranks ? on_three_ranks(options, 11, check) : check(own);
}

} // namespace chamomile::tests
