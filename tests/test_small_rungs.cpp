// Active particles on ranks, as individual steps ask for them: groups, lists and sums are those of
// one rank, bit for bit, on new trees and on kept ones.
#include <numeric>
#include <optional>

#include <doctest/doctest.h>

#include "chamomile/core/norm.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/parallel/thread_ranks.hpp"
#include "tests/rank_sets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("small_rungs");

namespace {

/// What evaluations of one after the other give.
struct Series {
    std::vector<Particles> after;
    std::vector<std::vector<std::uint64_t>> figures;
};

/// Returns so many numbers below n that rise: those of the particles nearest to the first one, or
/// spread over all.
std::vector<Index> some_of(const Particles& p, std::size_t count, bool near)
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

/// Evaluates few and many active particles and all of them, on new cells and on kept ones, while
/// particles move.
Series evaluate_blocks(Particles p, Solver& solver)
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

/// Says at which evaluation two series differ; -1 if they do not.
int difference(const Series& a, const Series& b)
{
    for (std::size_t k = 0; k < a.after.size(); ++k) {
        if (!same_forces(a.after[k], b.after[k]) || a.figures[k] != b.figures[k])
            return int(k);
    }
    return -1;
}

/// Calls use(options) on the first of three ranks, which the others serve.
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

} // namespace

TEST_CASE("ranks have the bits of one rank at active particles, on new trees and on kept ones")
{
    for (const SolverKind kind : {SolverKind::tree, SolverKind::direct})
        for (NamedSet& set : sets()) {
            CAPTURE(set.name);
            CAPTURE(int(kind));
            Particles p;
            const std::size_t most = kind == SolverKind::tree ? 1 << 20 : 1511;
            p.resize(std::min(most, set.particles.size()));
            for (std::size_t i = 0; i < p.size(); ++i) {
                p.position[i] = set.particles.position[i];
                p.mass[i] = kind == SolverKind::direct && i > 1300 ? 0 : set.particles.mass[i];
            }
            p.acceleration.resize(p.size());
            p.potential.resize(p.size());
            SolverOptions options;
            options.device = "cpu";
            options.solver = kind;
            options.softening.length = set.name == std::string("pairs") ? 1e-9 : 0.01;
            options.gravitational_constant = 2.5;
            if (set.name == std::string("disk"))
                options.criterion = Criterion::geometric;
            if (set.name == std::string("uniform"))
                options.precision = Precision::double_precision;
            const Series one = evaluate_blocks(p, *make_solver(options));
            CHECK(one.figures[1].back() == 1);
            for (const int P : {1, 2, 3, 7}) {
                CAPTURE(P);
                SolverOptions own = options;
                own.own_ranks = P;
                CHECK(difference(one, evaluate_blocks(p, *make_solver(own))) == -1);
            }
            on_three_ranks(options, 11, [&](const SolverOptions& given) {
                CHECK(difference(one, evaluate_blocks(p, *make_solver(given))) == -1);
            });
        }
}

TEST_CASE("a rank does not keep the tree of another solver")
{
    Particles a = sets()[0].particles, b = sets()[5].particles;
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.01;
    on_three_ranks(options, {}, [&](const SolverOptions& given) {
        const auto first = make_solver(given), second = make_solver(given);
        Request of_a = request_of(a, Quantities::acceleration_potential);
        of_a.keeps_tree = true;
        CHECK(!first->evaluate(of_a).kept_tree);
        CHECK(first->evaluate(of_a).kept_tree);
        second->solve(b, Quantities::acceleration_potential);
        CHECK(!first->evaluate(of_a).kept_tree);
        Particles one = a;
        make_solver(options)->solve(one, Quantities::acceleration_potential);
        CHECK(same_forces(one, a));
    });
}

TEST_CASE(
    "a goal leads to the tolerance of one rank, and is refused to particles of several callers")
{
    Particles p = sets()[0].particles;
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.01;
    options.group_size = 64;
    options.leaf_size = 16;
    options.accuracy =
        AccuracyGoal{.error = 2e-3, .criterion = Criterion::moments, .order = 2, .local_order = 6};
    const auto one = make_solver(options);
    Particles alone = p;
    one->solve(alone, Quantities::acceleration_potential);
    for (const int P : {1, 3}) {
        CAPTURE(P);
        SolverOptions own = options;
        own.own_ranks = P;
        const auto several = make_solver(own);
        Particles together = p;
        const ForceStatistics s = several->solve(together, Quantities::acceleration_potential);
        CHECK(s.ranks->ranks == P);
        CHECK(several->options().tolerance == one->options().tolerance);
        CHECK(same_forces(alone, together));
    }
    run_ranks(2,
              [&](Communicator& communicator) {
                  CHECK_THROWS_WITH(DistributedSolver(options, communicator),
                                    "several processes: keep no accuracy for callers whose "
                                    "particles they have; give tolerance");
              },
              {.time_limit = 60, .held_back = {}});
}

TEST_CASE("active particles that there are not are refused, and ranks go on")
{
    Particles p = sets()[5].particles;
    SolverOptions options;
    options.device = "cpu";
    options.own_ranks = 3;
    const auto solver = make_solver(options);
    Request request = request_of(p, Quantities::acceleration);
    const std::vector<Index> active{3, Index(p.size())};
    request.active = active;
    CHECK_THROWS_WITH(solver->evaluate(request),
                      "active particles: index: 12007: must be below 12007");
    request.active = std::span(active).first(1);
    CHECK(solver->evaluate(request).targets == 1);
}

TEST_SUITE_END();
