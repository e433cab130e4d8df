// Tracers on ranks: massless particles after all others, treated as points outside the tree.
// Sources and tracers equal one rank bit for bit.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "chamomile/force/ranks/distributed_solver.hpp"
#include "tests/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_tracers");

namespace {

struct Case {
    NamedSet set;
    std::size_t sources;
    bool varied = false; ///< per-particle softening
};

/// Few and many tracers: among the sources, separate, coincident, very far away, at source
/// positions, and all particles.
std::vector<Case> cases()
{
    const std::vector<NamedSet> all = sets();
    const auto first = [](const NamedSet& set, std::size_t n, std::size_t sources) {
        NamedSet traced = set;
        traced.particles.resize(n);
        traced.particles.softening.clear();
        for (std::size_t i = 0; i < n; ++i)
            traced.particles.mass[i] = i < sources ? set.particles.mass[i] + 1e-6 : 0;
        return traced;
    };
    std::vector<Case> cases{{first(all[0], 6007, 3001), 3001},  // as many as sources
                            {first(all[2], 7001, 50), 50},      // a restricted problem
                            {first(all[1], 6007, 5901), 5901},  // few
                            {first(all[11], 5003, 3000), 3000}, // many scales
                            {first(all[9], 1501, 301), 301},    // all coincident
                            {first(all[0], 4001, 3), 3},        // fewer sources than ranks
                            {first(all[5], 2003, 0), 0}};       // no forces
    cases.push_back({first(all[0], 5003, 3001), 3001});
    for (std::size_t i = 3001; i < 5003; i += 7) // beyond the range of lists, and at sources
        cases.back().set.particles.position[i] =
            i % 2 ? Vec3<double>{1e7, -3e6, double(i)} : cases.back().set.particles.position[i / 3];
    cases.back().set.name = "far away";
    const std::size_t n = cases.size();
    for (std::size_t c = 0; c < n; ++c) {
        if (c == 4 || c == 6)
            continue;
        Case varied = cases[c];
        varied.varied = true;
        std::vector<double>& lengths = varied.set.particles.softening;
        for (std::size_t i = 0; i < varied.set.particles.size(); ++i)
            lengths.push_back(i % 3 == 0 ? 0.1 : i % 7 == 0 ? 0.25 : 0.02);
        cases.push_back(varied);
    }
    return cases;
}

SolverOptions options_of(const Case& c, std::size_t k)
{
    SolverOptions options;
    options.device = "cpu";
    options.gravitational_constant = 2.5;
    options.softening = {k % 2 ? SofteningKind::spline : SofteningKind::plummer, 0.01,
                         k % 3 ? SofteningRule::larger : SofteningRule::root_of_squares, c.varied};
    options.precision = k % 4 == 1 ? Precision::double_precision : Precision::single_precision;
    if (k % 5 == 2)
        options.criterion = Criterion::geometric;
    return options;
}

} // namespace

TEST_CASE("sources and tracers have the bits of one rank, all of them and active ones")
{
    const std::vector<Case> all = cases();
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Case& c = all[k];
        CAPTURE(c.set.name);
        CAPTURE(c.sources);
        CAPTURE(c.varied);
        const SolverOptions options = options_of(c, k);
        Particles p = c.set.particles;
        p.acceleration.resize(p.size());
        p.potential.resize(p.size());
        Particles one = p;
        make_solver(options)->solve(one, Quantities::acceleration_potential);
        for (const int P : {1, 2, 3, 7}) {
            CAPTURE(P);
            Particles several = p;
            solve_on_ranks(several, options, P, 2);
            CHECK(same_forces(one, several));
        }
        check_blocks(p, options, {1, 3, 7}, 5);
    }
}

TEST_CASE("tracers at places of sources without softening are summed as on one rank")
{
    Particles p = cases()[0].set.particles;
    for (std::size_t i = 3001; i < p.size(); i += 100)
        p.position[i] = p.position[i - 2900];
    p.position[3500] = p.position[3501]; // tracers do not feel each other
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0;
    Particles one = p;
    make_solver(options)->solve(one, Quantities::acceleration_potential);
    for (const int P : {1, 3}) {
        Particles several = p;
        solve_on_ranks(several, options, P, 1);
        CHECK(same_forces(one, several));
    }
}

TEST_CASE("tracers of all ranks together are those at the end of all particles")
{
    for (const std::size_t sources : {3001u, 1u, 5900u}) {
        CAPTURE(sources);
        Particles p = cases()[0].set.particles;
        p.acceleration.resize(p.size());
        p.potential.resize(p.size());
        for (std::size_t i = 0; i < p.size(); ++i)
            p.mass[i] = i < sources && (i % 2 == 0 || i + 1 == sources) ? 1 / double(sources) : 0;
        for (const SolverKind kind : {SolverKind::tree, SolverKind::direct})
            for (const double eps : {0.0, 0.01}) {
                SolverOptions options;
                options.device = "cpu";
                options.solver = kind;
                options.softening.length = eps;
                if (eps == 0) // a tracer at a source's position is summed again in double
                    p.position[6000] = p.position[0];
                Particles one = p;
                make_solver(options)->solve(one, Quantities::acceleration_potential);
                for (const int P : {1, 3, 7}) {
                    CAPTURE(P);
                    Particles several = p;
                    const auto first = [&](int r) {
                        return p.size() * std::size_t(r) / std::size_t(P);
                    };
                    solve_own_rows(several, options, P, first, 3);
                    CHECK(same_forces(one, several));
                }
            }
    }
}

TEST_CASE("tracers are distributed with equal work, and their pairs are those of one rank")
{
    Particles p = cases()[1].set.particles;
    SolverOptions options;
    options.device = "cpu";
    const ForceStatistics one = make_solver(options)->solve(p, Quantities::acceleration);
    options.own_ranks = 3;
    const auto solver = make_solver(options);
    solver->solve(p, Quantities::acceleration);
    const ForceStatistics three = solver->solve(p, Quantities::acceleration);
    CHECK(three.targets == one.targets);
    CHECK(three.particle_particle == one.particle_particle);
    CHECK(three.particle_cell == one.particle_cell);
    Particles many = sets()[0].particles;
    std::vector<Index> tracers;
    for (Index i = 1000; i < many.size(); ++i) {
        many.mass[i] = 0;
        tracers.push_back(i);
    }
    const auto others = make_solver(options);
    Request request = request_of(many, Quantities::acceleration);
    request.active = tracers; // counts tracers only
    others->evaluate(request);
    const ForceStatistics again = others->evaluate(request);
    CHECK(again.targets == tracers.size());
    CHECK(again.ranks->imbalance < 1.1);
    p.position[6999].x = std::nan("");
    for (const int P : {0, 3}) {
        options.own_ranks = P;
        CHECK_THROWS_WITH(make_solver(options)->solve(p, Quantities::acceleration),
                          doctest::Contains("target 6949: position: "));
    }
}

TEST_SUITE_END();
