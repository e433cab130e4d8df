// A tree leapfrog with particles resident on the first GPU: bitwise equal to the host's.
#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/periodic_sets.hpp"

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

Setup summed_directly()
{
    Setup setup = isolated();
    setup.options.solver = SolverKind::direct;
    return setup;
}

/// One particle with huge coordinates, so coordinates near the center lose all float digits.
Setup with_a_far_particle()
{
    Setup setup = summed_directly();
    setup.particles.position[5] = {1e9, -2e9, 3e9};
    setup.particles.mass[5] = 1e-12;
    return setup;
}

Setup by_potentials()
{
    Setup setup = isolated();
    setup.step = {
        .kind = TimeStepKind::adaptive, .eta = 0.05, .criterion = StepCriterion::potential};
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
    integrator.fetch(p);
    return p;
}

Particles moved(const Setup& setup, Residence residence, std::uint64_t steps)
{
    const auto solver = make_solver(setup.options);
    Leapfrog leapfrog(*solver, setup.step, Clock::newtonian(), residence);
    return moved_by(leapfrog, setup.particles, steps);
}

Particles moved_in_blocks(const Setup& setup, const BlockSteps& steps, std::uint64_t number,
                          Residence residence)
{
    const auto solver = make_solver(setup.options);
    Leapfrog leapfrog(*solver, steps, Clock::newtonian(), residence);
    const Particles end = moved_by(leapfrog, setup.particles, number);
    CHECK(leapfrog.report().deepest >= 1);
    return end;
}

} // namespace

TEST_SUITE_BEGIN("gpu_resident_tree");

TEST_CASE("GPU-resident shared steps equal host steps bitwise")
{
    for (const Setup& setup :
         {isolated(), summed_directly(), with_a_far_particle(), by_potentials(), in_box()}) {
        const Particles host = moved(setup, Residence::host, 7),
                        there = moved(setup, Residence::device, 7);
        CHECK(there.position == host.position);
        CHECK(there.velocity == host.velocity);
        CHECK(there.acceleration == host.acceleration);
        CHECK(there.position != setup.particles.position);
    }
}

TEST_CASE("GPU-resident individual steps equal host steps bitwise")
{
    const BlockSteps by_potential{.eta = 0.05},
        by_softening{.criterion = StepCriterion::softening, .eta = 0.1, .rebuild = 0.5};
    BlockSteps sets_by_potential = by_potential, sets_by_softening = by_softening;
    sets_by_potential.scheme = sets_by_softening.scheme = BlockScheme::hierarchical;
    sets_by_softening.rebuild = {};
    sets_by_softening.eta = 0.2; // two levels in the box
    for (const auto& way :
         {std::pair{isolated(), by_potential}, std::pair{isolated(), by_softening},
          std::pair{summed_directly(), by_potential}, std::pair{in_box(), by_softening},
          std::pair{isolated(), sets_by_potential}, std::pair{summed_directly(), sets_by_potential},
          std::pair{in_box(), sets_by_softening}}) {
        const auto& [setup, steps] = way;
        CAPTURE(way.first.options.box);
        for (const std::uint64_t number : {3, 4}) { // after the third evaluation potentials exist
            const Particles host = moved_in_blocks(setup, steps, number, Residence::host),
                            there = moved_in_blocks(setup, steps, number, Residence::device);
            CHECK(there.position == host.position);
            CHECK(there.velocity == host.velocity);
            CHECK(there.acceleration == host.acceleration);
            if (number == 3)
                CHECK(there.potential == host.potential);
        }
    }
}

TEST_CASE("diagnostics on the GPU equal the host bitwise")
{
    Setup many{plummer(300001), isolated().options, {.length = 0.01}};
    for (std::size_t i = 0; i < many.particles.size(); i += 10)
        many.particles.mass[i] = 0;
    for (const Setup& setup : {many, summed_directly(), by_potentials(), in_box()}) {
        std::vector<Diagnostics> measured[2];
        for (const Residence residence : {Residence::host, Residence::device}) {
            Particles p = setup.particles;
            const auto solver = make_solver(setup.options);
            Leapfrog leapfrog(*solver, setup.step, Clock::newtonian(), residence);
            Simulation simulation(p, leapfrog, 0, 1e6);
            simulation.every_steps(
                3, Quantities::acceleration_potential,
                [&](Simulation& s) {
                    measured[residence == Residence::device].push_back(s.diagnostics());
                    if (residence == Residence::device && s.step() > 0)
                        CHECK(p.position == setup.particles.position); // nothing was fetched
                    if (s.step() == 3)
                        s.stop();
                },
                Simulation::LooksAt::rows);
            simulation.run();
        }
        REQUIRE(measured[0].size() == 2);
        REQUIRE(measured[1].size() == 2);
        CHECK(std::memcmp(measured[0].data(), measured[1].data(), 2 * sizeof(Diagnostics)) == 0);
        CHECK(measured[1][1].kinetic > 0);
    }
}

TEST_CASE("gathering points on the GPU changes no step")
{
    const std::vector<GlobalIndex> some{19999, 5, 0, 5, 777};
    for (const auto& [setup, blocks] :
         {std::pair{isolated(), std::optional<BlockSteps>{}},
          std::pair{isolated(), std::optional(BlockSteps{.eta = 0.05})},
          std::pair{in_box(), std::optional<BlockSteps>{}}}) {
        Particles p = setup.particles;
        const auto solver = make_solver(setup.options);
        std::optional<Leapfrog> leapfrog;
        if (blocks)
            leapfrog.emplace(*solver, *blocks, Clock::newtonian(), Residence::device);
        else
            leapfrog.emplace(*solver, setup.step, Clock::newtonian(), Residence::device);
        std::vector<PhasePoint> seen(some.size()), expected(some.size());
        Simulation simulation(p, *leapfrog, 0, 1e6);
        simulation.after_each_step([&](Simulation& now) {
            now.gather({}, {});
            now.gather(some, seen);
            if (now.step() == 4)
                now.stop();
        });
        simulation.run();
        leapfrog->fetch(p);
        gather_points(p, some, expected);
        CHECK(std::memcmp(seen.data(), expected.data(), seen.size() * sizeof seen[0]) == 0);
        const Particles alone = blocks ? moved_in_blocks(setup, *blocks, 4, Residence::device)
                                       : moved(setup, Residence::device, 4);
        CHECK(p.velocity == alone.velocity);
        CHECK(p.position != setup.particles.position);
    }
}

TEST_CASE("GPU-resident direct sums stay accurate with a distant particle")
{
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
        Setup setup = with_a_far_particle();
        setup.options.precision = precision;
        const auto solver = make_solver(setup.options);
        Leapfrog leapfrog(*solver, setup.step, Clock::newtonian(), Residence::device);
        Particles p = setup.particles;
        leapfrog.start(p, Quantities::acceleration_potential, {0, 0});
        leapfrog.step(p, setup.step.length, Quantities::acceleration_potential, {1, 0});
        leapfrog.fetch(p);
        const std::vector<Index> targets = sample_targets(p.size(), 1000);
        const ForceErrors errors =
            force_errors(p, reference_sum(p, targets, setup.options.softening, 1), targets);
        CHECK(errors.acceleration.p99 < (precision == Precision::single_precision ? 1e-5 : 1e-12));
    }
}

TEST_CASE("GPU-resident particles at the same position without softening raise an error")
{
    Setup setup = isolated();
    setup.options.softening.length = 0;
    setup.particles.position[7] = setup.particles.position[31];
    setup.particles.velocity[7] = setup.particles.velocity[31];
    for (const Residence residence : {Residence::host, Residence::device})
        CHECK_THROWS_WITH_AS(moved(setup, residence, 2), doctest::Contains("coincident"), Error);
}

TEST_CASE("a start that fails keeps nothing of its particles on the GPU")
{
    Setup setup = isolated();
    setup.options.softening.length = 0;
    Particles p = setup.particles;
    p.position[7] = p.position[31];
    const auto solver = make_solver(setup.options);
    Leapfrog leapfrog(*solver, setup.step, Clock::newtonian(), Residence::device);
    CHECK_THROWS_AS(leapfrog.start(p, Quantities::acceleration, {0, 0}), Error);
    p = setup.particles;
    p.resize(15000);
    const Particles before = p;
    leapfrog.evaluate(p, Quantities::acceleration_potential, {0, 0});
    CHECK(p.size() == 15000);
    CHECK(p.position == before.position);
    setup.particles = before;
    CHECK(moved_by(leapfrog, p, 3).position == moved(setup, Residence::host, 3).position);
}

namespace {

/// A GPU that has room for particles, but not for their forces.
class FullGpu final : public Solver {
public:
    explicit FullGpu(const SolverOptions& options) : inner_(make_solver(options)) {}
    ForceStatistics evaluate(const Request& request) override
    {
        if (request.position.on_device)
            throw OutOfDeviceMemory("no room");
        return inner_->evaluate(request);
    }
    bool takes_device_arrays() const override { return inner_->takes_device_arrays(); }
    std::string device() const override { return inner_->device(); }
    const SolverOptions& options() const override { return inner_->options(); }

private:
    std::unique_ptr<Solver> inner_;
};

} // namespace

TEST_CASE("particles stay on the host if their forces do not fit the GPU")
{
    const Setup setup = isolated();
    FullGpu solver(setup.options);
    Leapfrog may(solver, setup.step, Clock::newtonian(), Residence::where_solved),
        must(solver, setup.step, Clock::newtonian(), Residence::device);
    CHECK(may.is_resident());
    CHECK(moved_by(may, setup.particles, 3).position == moved(setup, Residence::host, 3).position);
    CHECK(!may.is_resident());
    Particles p = setup.particles;
    CHECK_THROWS_AS(must.start(p, Quantities::acceleration, {0, 0}), OutOfDeviceMemory);
}

TEST_CASE("a non-finite position is reported and the previous state kept")
{
    Setup setup = in_box();
    setup.step = {.length = 4};
    setup.particles.velocity[17].y = std::numeric_limits<double>::max() / 2;
    const auto solver = make_solver(setup.options);
    Leapfrog leapfrog(*solver, setup.step, Clock::newtonian(), Residence::device);
    Particles p = setup.particles;
    leapfrog.start(p, Quantities::acceleration, {0, 0});
    CHECK_THROWS_WITH_AS(leapfrog.step(p, 4, Quantities::acceleration, {1, 0}),
                         doctest::Contains("position: not finite in step 1"), Error);
    CHECK(p.position == setup.particles.position);
    CHECK(p.velocity == setup.particles.velocity);
}

TEST_CASE("GPU residence needs a solver with GPU arrays")
{
    SolverOptions options;
    options.device = "cpu";
    const auto solver = make_solver(options);
    CHECK_THROWS_AS(Leapfrog(*solver, TimeStep{}, Clock::newtonian(), Residence::device), Error);
}

TEST_SUITE_END();
