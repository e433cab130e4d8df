/// \file  Particle sets for comparing several ranks with one.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/solver.hpp"
#include "tests/unit/clouds.hpp"

namespace chamomile::tests {

struct NamedSet {
    const char* name;
    Particles particles;
};

/// Draws n positions with `draw(random)`; masses are nearly equal.
inline NamedSet drawn(const char* name, std::size_t n,
                      const std::function<Vec3<double>(std::mt19937_64&, std::size_t)>& draw)
{
    NamedSet set{name, {}};
    std::mt19937_64 random(n + 1);
    set.particles.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        set.particles.id[i] = 1000 + i;
        set.particles.position[i] = draw(random, i);
        set.particles.mass[i] = (1 + double(random() % 1000) / 1000) / double(n);
    }
    return set;
}

inline double uniform(std::mt19937_64& random)
{
    return double(random() >> 11) * 0x1p-53;
}

inline Vec3<double> direction(std::mt19937_64& random)
{
    const double z = 2 * uniform(random) - 1, phi = 2 * std::numbers::pi * uniform(random),
                 r = std::sqrt(1 - z * z);
    return {r * std::cos(phi), r * std::sin(phi), z};
}

inline Vec3<double> of_plummer(std::mt19937_64& random)
{
    return 1 / std::sqrt(std::pow(0.001 + 0.99 * uniform(random), -2.0 / 3) - 1) *
           direction(random);
}

inline Vec3<double> of_disk(std::mt19937_64& random)
{
    const double r = -std::log(1 - 0.99 * uniform(random)), phi = 6.283185307 * uniform(random);
    return {r * std::cos(phi), r * std::sin(phi), 0.02 * (uniform(random) - 0.5)};
}

/// Returns the sets for comparing several ranks with one.
inline std::vector<NamedSet> sets()
{
    std::vector<NamedSet> sets;
    sets.push_back(drawn("plummer", 20011, [](auto& r, auto) { return of_plummer(r); }));
    sets.push_back(drawn("binary of clumps", 15013, [](auto& r, std::size_t i) {
        return 0.05 * of_plummer(r) + Vec3<double>{i % 2 ? 1. : -1., 0.1, 0};
    }));
    sets.push_back(drawn("disk", 15017, [](auto& r, auto) { return of_disk(r); }));
    sets.push_back(drawn("two disks", 15019, [](auto& r, std::size_t i) {
        const Vec3<double> x = of_disk(r);
        return i % 2 ? x : Vec3<double>{x.z + 5, x.x, x.y - 2};
    }));
    sets.push_back(drawn("lattice", 24 * 24 * 24, [](auto&, std::size_t i) {
        return Vec3<double>{double(i % 24), double(i / 24 % 24), double(i / 576)};
    }));
    sets.push_back(drawn("uniform", 12007, [](auto& r, auto) {
        return Vec3<double>{uniform(r), uniform(r), uniform(r)};
    }));
    sets.push_back(drawn("outlier", 9001, [](auto& r, std::size_t i) {
        return i == 4000 ? Vec3<double>{1e9, -1e9, 1e8} : of_plummer(r);
    }));
    sets.push_back(drawn("massless", 9007, [](auto& r, auto) { return of_plummer(r); }));
    for (std::size_t i = 0; i < 9007; ++i)
        if (i % 3 || sets.back().particles.position[i].x > 1)
            sets.back().particles.mass[i] = 0;
    sets.push_back(drawn("few", 3, [](auto& r, auto) { return of_plummer(r); }));
    sets.push_back(drawn("one place", 3001, [](auto&, auto) { return Vec3<double>{1, 2, 3}; }));
    sets.push_back(drawn("pairs", 9011, [](auto& r, std::size_t i) {
        std::mt19937_64 same(i / 2);
        return i / 2 % 2 ? of_plummer(same) : of_plummer(r);
    }));
    sets.push_back(drawn("deep", 9013, [](auto& r, std::size_t i) {
        return std::pow(10., -double(i % 12)) * direction(r) + Vec3<double>{0.1, 0.2, 0.3};
    }));
    return sets;
}

/// Solves `times` times on ranks that are threads of the solver; domain cuts follow the previous
/// work.
inline void solve_on_ranks(Particles& p, SolverOptions options, int ranks, int times)
{
    options.own_ranks = ranks;
    options.peer_timeout = 120;
    const auto solver = make_solver(options);
    for (int k = 0; k < times; ++k)
        solver->solve(p, Quantities::acceleration_potential);
}

/// Solves twice on ranks; rank r owns particles first(r) to first(r + 1). A seed delays messages at
/// random.
template <class First>
void solve_own_rows(Particles& p, const SolverOptions& options, int ranks, const First& first,
                    std::uint64_t seed)
{
    p.acceleration.resize(p.size());
    p.potential.resize(p.size());
    run_ranks(ranks,
              [&](Communicator& communicator) {
                  const std::size_t begin = first(communicator.rank()),
                                    count = first(communicator.rank() + 1) - begin;
                  const auto own = [&](auto& values) {
                      return view_of(std::span(values).subspan(begin, count));
                  };
                  DistributedSolver solver(options, communicator);
                  Request request;
                  request.count = count;
                  request.position = own(p.position);
                  request.mass = own(p.mass);
                  request.acceleration = own(p.acceleration);
                  request.potential = own(p.potential);
                  for (int k = 0; k < 2; ++k)
                      solver.evaluate(request);
              },
              {.time_limit = 120, .held_back = seed});
}

inline bool same_forces(const Particles& a, const Particles& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a.acceleration[i] != b.acceleration[i] || a.potential[i] != b.potential[i])
            return false;
    return true;
}

/// Forces on ranks do not depend on the offset of the particles' numbers, by which those with one
/// key are ordered.
inline void check_large_numbers(SolverOptions options, bool are_mixed)
{
    Particles p = hernquist(3000);
    for (std::size_t i = 0; i < p.size(); ++i) { // ranks send few particles, or most
        p.position[i] = p.position[are_mixed ? i % 10 : i / 300 * 300];
        p.mass[i] *= 1.5 + std::sin(double(i)); // so that sums depend on the order
    }
    const std::size_t n = p.size();
    options.softening.length = 0.01;
    options.precision = Precision::double_precision;
    const auto forces = [&](GlobalIndex before) {
        Particles all = p;
        Request whole = request_of(all, Quantities::acceleration_potential);
        run_ranks(3, [&](Communicator& ranks) {
            DistributedSolver solver(options, ranks);
            const std::size_t first = ranks.first_of_run(n, ranks.rank());
            Request request = whole;
            request.count = ranks.first_of_run(n, ranks.rank() + 1) - first;
            request.id = {};
            for (ArrayView* view :
                 {&request.position, &request.mass, &request.acceleration, &request.potential})
                *view = view->from(first);
            std::vector<GlobalIndex> number(request.count);
            for (std::size_t i = 0; i < number.size(); ++i)
                number[i] = before + n - 1 - (first + i);
            request.part = GlobalCounts{.count = before + n,
                                        .active = before + n,
                                        .has_potentials = true,
                                        .first = before + first,
                                        .arrangement = GlobalCounts::new_arrangement(),
                                        .number = number};
            solver.evaluate(request);
        });
        return all;
    };
    const Particles expected = forces(0);
    for (const GlobalIndex before : {(GlobalIndex(1) << 32) - n / 2 - 150, GlobalIndex(1) << 40})
        CHECK(same_forces(forces(before), expected));
}

} // namespace chamomile::tests
