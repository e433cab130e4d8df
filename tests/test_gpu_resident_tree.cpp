// A tree's leapfrog whose particles stay on the first GPU: the bits of the one on the host.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/resident.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/clouds.hpp"
#include "tests/periodic_sets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

namespace {

struct Setup {
    Particles particles;
    SolverOptions options;
    TimeStep step;
};

Setup isolated()
{
    Setup setup{plummer(20000), {}, {.length = 0.01}};
    setup.options.softening.length = 0.02;
    setup.options.device = "gpu";
    return setup;
}

Setup in_box()
{
    Setup setup{periodic_sets(20000)[1].particles, {}, {}};
    setup.options.softening.length = 0.002;
    setup.options.box = 1;
    setup.options.device = "gpu";
    setup.step = {TimeStepKind::adaptive, 0, 0.2};
    return setup;
}

/// After some steps, with potentials asked for in every third.
Particles moved_by(Integrator& integrator, Particles p, std::uint64_t steps)
{
    Simulation simulation(p, integrator, 0, 1e6);
    simulation.every_steps(3, Quantities::acceleration_potential, [](Simulation&) {});
    simulation.after_each_step([&](Simulation& s) {
        if (s.step() == steps)
            s.stop();
    });
    simulation.run();
    integrator.bring(p);
    return p;
}

Particles moved(const Setup& setup, bool resident, std::uint64_t steps)
{
    const auto solver = make_solver(setup.options);
    std::unique_ptr<Integrator> integrator;
    if (resident)
        integrator = make_resident_tree(*solver, setup.step);
    else
        integrator = std::make_unique<Leapfrog>(*solver, setup.step);
    return moved_by(*integrator, setup.particles, steps);
}

Particles moved_in_blocks(const Setup& setup, const BlockSteps& steps, std::uint64_t number,
                          bool resident)
{
    const auto solver = make_solver(setup.options);
    const auto integrator = resident ? make_resident_blocks(*solver, steps)
                                     : std::make_unique<BlockLeapfrog>(*solver, steps);
    const Particles end = moved_by(*integrator, setup.particles, number);
    CHECK(integrator->report().deepest >= 1);
    return end;
}

} // namespace

TEST_SUITE_BEGIN("gpu_resident_tree");

TEST_CASE("steps have the bits of the leapfrog on the host")
{
    for (const Setup& setup : {isolated(), in_box()}) {
        const Particles host = moved(setup, false, 7), there = moved(setup, true, 7);
        CHECK(there.position == host.position);
        CHECK(there.velocity == host.velocity);
        CHECK(there.acceleration == host.acceleration);
        CHECK(there.position != setup.particles.position);
    }
}

TEST_CASE("individual steps have the bits of those on the host")
{
    const BlockSteps by_potential{.eta = 0.05},
        by_softening{.criterion = StepCriterion::softening, .eta = 0.1, .rebuild = 0.5};
    for (const auto& way :
         {std::pair{isolated(), by_potential}, std::pair{isolated(), by_softening},
          std::pair{in_box(), by_softening}}) {
        const auto& [setup, steps] = way;
        CAPTURE(way.first.options.box);
        for (const std::uint64_t number : {3, 4}) { // after the third there are potentials
            const Particles host = moved_in_blocks(setup, steps, number, false),
                            there = moved_in_blocks(setup, steps, number, true);
            CHECK(there.position == host.position);
            CHECK(there.velocity == host.velocity);
            CHECK(there.acceleration == host.acceleration);
            if (number == 3)
                CHECK(there.potential == host.potential);
        }
    }
}

TEST_CASE("particles that coincide without softening are left to the host")
{
    Setup setup = isolated();
    setup.options.softening.length = 0;
    setup.particles.position[7] = setup.particles.position[31];
    setup.particles.velocity[7] = setup.particles.velocity[31];
    for (const bool resident : {false, true})
        CHECK_THROWS_WITH_AS(moved(setup, resident, 2), doctest::Contains("coincident"), Error);
}

TEST_CASE("what is no longer finite is named, and the state before is kept")
{
    Setup setup = in_box();
    setup.step = {.length = 4};
    setup.particles.velocity[17].y = std::numeric_limits<double>::max() / 2;
    const auto solver = make_solver(setup.options);
    const auto integrator = make_resident_tree(*solver, setup.step);
    Particles p = setup.particles;
    integrator->start(p, Quantities::acceleration, {0, 0});
    CHECK_THROWS_WITH_AS(integrator->step(p, 4, Quantities::acceleration, {1, 0}),
                         doctest::Contains("position: is no longer a finite number in step 1"),
                         Error);
    CHECK(p.position == setup.particles.position);
    CHECK(p.velocity == setup.particles.velocity);
}

TEST_CASE("a solver without arrays on a GPU is refused")
{
    SolverOptions options;
    options.device = "cpu";
    const auto solver = make_solver(options);
    CHECK_THROWS_AS(make_resident_tree(*solver, {}), Error);
}

TEST_SUITE_END();
