// Massless particles after all others cost no source: massive particles keep the bits from a run
// without them, and tracers equal points.
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("tracers");

namespace {

constexpr std::size_t sources = 1200, tracers = 300;

/// Returns particles in the unit cube; the last ones are massless.
Particles traced(bool own_softenings)
{
    Particles p = uniform_cube(sources + tracers, 5);
    Random random(6);
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.mass[i] = i < sources ? (1 + double(i % 4)) / sources : 0;
        p.velocity[i] = {0.1 * random() - 0.05, 0.1 * random() - 0.05, 0.1 * random() - 0.05};
        if (own_softenings)
            p.softening.push_back(i % 3 ? 0.004 : 0.02);
    }
    return p;
}

Particles without_tracers(Particles p)
{
    p.resize(sources);
    return p;
}

struct Way {
    const char* name;
    double box;
    LongRangeKind long_range;
    SolverKind solver;
};

constexpr Way ways[] = {{"tree", 0, LongRangeKind::mesh, SolverKind::tree},
                        {"direct", 0, LongRangeKind::mesh, SolverKind::direct},
                        {"mesh", 1, LongRangeKind::mesh, SolverKind::tree},
                        {"modes", 1, LongRangeKind::modes, SolverKind::tree}};

SolverOptions options_of(const Way& way, bool own)
{
    SolverOptions options;
    options.device = "cpu";
    options.solver = way.solver;
    options.precision = Precision::double_precision;
    options.box = way.box;
    options.tolerance = 1e-4;
    options.periodic.long_range = way.long_range;
    options.periodic.mesh = 24; // otherwise depends on the particle number
    options.softening = {SofteningKind::plummer, own ? 0.02 : 0.01, SofteningRule::larger, own};
    return options;
}

} // namespace

TEST_CASE("tracers change no force on sources, feel correct forces and cost no extra pairs")
{
    for (const Way& way : ways)
        for (const bool own : {false, true}) {
            CAPTURE(std::string(way.name));
            CAPTURE(own);
            const SolverOptions options = options_of(way, own);
            Particles all = traced(own), alone = without_tracers(all), light = all;
            const auto solver = make_solver(options);
            const ForceStatistics few = solver->solve(alone, Quantities::acceleration_potential);
            const ForceStatistics both =
                make_solver(options)->solve(all, Quantities::acceleration_potential);
            for (std::size_t i = 0; i < sources; ++i) {
                REQUIRE(all.acceleration[i] == alone.acceleration[i]);
                REQUIRE(all.potential[i] == alone.potential[i]);
            }
            if (way.solver == SolverKind::direct) {
                CHECK(few.particle_particle == sources * sources);
                CHECK(both.particle_particle == all.size() * sources);
            }
            // A mass far below all others makes them sources, with computed forces.
            for (std::size_t i = sources; i < light.size(); ++i)
                light.mass[i] = 1e-20;
            const ForceStatistics more =
                make_solver(options)->solve(light, Quantities::acceleration_potential);
            CHECK(both.particle_particle + both.particle_cell <
                  0.95 * double(more.particle_particle + more.particle_cell));
            double max = 0, deepest = 0;
            for (std::size_t i = sources; i < light.size(); ++i) {
                max = std::max(max, norm(all.acceleration[i] - light.acceleration[i]) /
                                        norm(light.acceleration[i]));
                deepest = std::max(deepest, std::abs(all.potential[i] - light.potential[i]));
            }
            const bool direct = way.solver == SolverKind::direct;
            CHECK(max < (direct ? 1e-12 : way.box > 0 ? 2e-2 : 2e-3));
            CHECK(deepest < (direct ? 1e-12 : 2e-3));
        }
}

TEST_CASE("tracers with larger softening use correct lengths")
{
    Particles p = traced(false);
    p.softening.assign(p.size(), 0.01);
    for (std::size_t i = sources; i < p.size(); ++i)
        p.softening[i] = 0.1;
    SolverOptions options = options_of(ways[1], true);
    make_solver(options)->solve(p, Quantities::acceleration);
    for (std::size_t i = sources; i < p.size(); i += 50) {
        Vec3<double> a{};
        for (std::size_t j = 0; j < sources; ++j) {
            const Vec3<double> d = p.position[j] - p.position[i];
            a += (p.mass[j] / std::pow(norm_squared(d) + 0.01, 1.5)) * d;
        }
        CHECK(norm(p.acceleration[i] - a) < 1e-12 * norm(a));
    }
}

TEST_CASE("tracers in a box do not affect other particles, with shared and individual steps")
{
    for (const Way& way : ways)
        for (const bool blocks : {false, true})
            for (const bool own : {false, true}) {
                CAPTURE(std::string(way.name));
                CAPTURE(blocks);
                CAPTURE(own);
                const auto moved = [&](Particles p) {
                    const auto solver = make_solver(options_of(way, own));
                    Leapfrog shared(*solver, TimeStep{.length = 1. / 8192}),
                        individual(*solver, BlockSteps{.criterion = StepCriterion::softening,
                                                       .eta = own ? 0.006 : 0.003,
                                                       .longest = 1. / 8192});
                    Simulation simulation(p, blocks ? individual : shared, 0, 4. / 8192);
                    simulation.run();
                    if (blocks) // A whole step includes masses and tracers.
                        CHECK(simulation.step() == 4);
                    CHECK((!blocks || individual.report().rungs.size() > 1));
                    return p;
                };
                const Particles all = moved(traced(own)),
                                alone = moved(without_tracers(traced(own)));
                double farthest = 0;
                for (std::size_t i = 0; i < all.size(); ++i) {
                    if (i < sources) {
                        REQUIRE(all.position[i] == alone.position[i]);
                        REQUIRE(all.velocity[i] == alone.velocity[i]);
                    }
                    REQUIRE(std::isfinite(norm(all.position[i])));
                    farthest = std::max(farthest, norm(all.velocity[i]));
                }
                CHECK(farthest < 10);
            }
}

TEST_SUITE_END();
