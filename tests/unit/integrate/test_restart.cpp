// A run saved midway and continued, as if in another process, equals the uninterrupted run.
#include <cstring>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/threads.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/reference_solver.hpp"
#include "tests/unit/restart_runs.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("restart");

TEST_CASE("every integrator restarts bitwise for any number of threads")
{
    const TemporaryFolder folder;
    const int threads = thread_count();
    for (const WayToMove& way : pairwise(ways_to_move())) {
        CAPTURE(way.name());
        use_threads(1);
        Followed whole(way);
        whole.simulation->run();

        std::vector<double> energies;
        int parts = 0;
        bool done = false;
        const auto file = folder / "state.chk";
        while (!done && ++parts < 100) {
            use_threads(1 + parts % 3);
            Followed part(way);
            part.particles = {}; // all data come from the file
            if (parts > 1) {
                CheckpointReader archive(file);
                part.simulation->exchange(archive);
            } else {
                part.particles = set_in_motion();
            }
            const std::uint64_t stop =
                part.simulation->step() * 5 / 4 + 2 + std::uint64_t(parts % 4);
            part.simulation->when_done([&](Simulation& now) {
                if (now.step() < stop)
                    return;
                write_checkpoint(file, [&](Archive& archive) { now.exchange(archive); });
                now.stop();
            });
            part.simulation->run();
            energies.insert(energies.end(), part.energies.begin(), part.energies.end());
            done = part.simulation->at_end();
            if (done) {
                CHECK(part.simulation->step() == whole.simulation->step());
                CHECK(part.simulation->step_length() == whole.simulation->step_length());
                CHECK(same_bits(part.particles, whole.particles));
            }
        }
        CHECK(done);
        CHECK(parts > 1);
        CHECK(same_bits(energies, whole.energies));
    }
    use_threads(threads);
}

namespace {

Particles few()
{
    Particles particles = set_in_motion();
    particles.resize(37);
    return particles;
}

} // namespace

TEST_CASE("after a failure only the failed observer is called again")
{
    const TemporaryFolder folder;
    const auto file = folder / "state.chk";
    const Softening softening{SofteningKind::plummer, 0.05};
    const SimulationOptions time{.end_time = 0.25, .step = {.length = 1. / 64}};
    ReferenceSolver solver(softening);
    std::vector<std::uint64_t> before, itself, after;
    bool fails = true;
    const auto observe = [&](Simulation& simulation) {
        constexpr auto potentials = Quantities::acceleration_potential;
        simulation.every_steps(1, potentials,
                               [&](Simulation& now) { before.push_back(now.step()); });
        simulation.at_intervals(0.125, potentials, [&](Simulation& now) {
            if (now.step() == 8 && fails)
                throw Error(Fault::output, "no room");
            itself.push_back(now.step());
        });
        simulation.every_steps(8, potentials,
                               [&](Simulation& now) { after.push_back(now.step()); });
    };
    Particles particles = few();
    Simulation first(particles, solver, time);
    observe(first);
    CHECK_THROWS_AS(first.run(), Error);
    write_checkpoint(file, [&](Archive& archive) { first.exchange(archive); });
    fails = false;
    Particles later;
    Simulation second(later, solver, time);
    observe(second);
    CheckpointReader archive(file);
    second.exchange(archive);
    CHECK(second.has_potentials());
    CHECK(second.last_statistics().particle_particle == 37 * 37); // as output lines require
    second.run();
    std::vector<std::uint64_t> all(17);
    for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = k;
    CHECK(before == all);
    CHECK(itself == std::vector<std::uint64_t>{0, 8, 16});
    CHECK(after == std::vector<std::uint64_t>{0, 8, 16});
}

TEST_CASE("checkpoints restore the current softening length")
{
    const TemporaryFolder folder;
    const ComovingClock clock({.hubble_rate = 1, .physical_softening = 0.04});
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.05;
    const BlockSteps steps{.criterion = StepCriterion::softening, .eta = 0.05};
    for (const bool blocks : {false, true}) {
        const auto integrator = [&](Solver& solver) -> std::unique_ptr<Integrator> {
            if (blocks)
                return std::make_unique<Leapfrog>(solver, steps, clock);
            return std::make_unique<Leapfrog>(solver, TimeStep{.length = 1. / 64}, clock);
        };
        const auto solver = make_solver(options), other = make_solver(options);
        const auto before = integrator(*solver), after = integrator(*other);
        Particles particles = few(), later;
        Simulation first(particles, *before, 0, end_of_followed),
            second(later, *after, 0, end_of_followed);
        first.run();
        const double length = first.softening_length();
        CHECK(length < 0.035);
        write_checkpoint(folder / "state.chk", [&](Archive& archive) { first.exchange(archive); });
        CheckpointReader archive(folder / "state.chk");
        second.exchange(archive);
        CHECK(second.softening_length() == length);
    }
}

TEST_CASE("checkpoints of a different run are refused")
{
    const TemporaryFolder folder;
    const auto file = folder / "state.chk";
    ReferenceSolver solver({SofteningKind::plummer, 0.05});
    Particles particles = few();
    Simulation first(particles, solver, {.end_time = 0.25, .step = {.length = 1. / 64}});
    first.run();
    write_checkpoint(file, [&](Archive& archive) { first.exchange(archive); });
    const auto refusal = [&](double end, int observers) {
        Particles other;
        Simulation simulation(other, solver, {.end_time = end, .step = {.length = 1. / 64}});
        for (int k = 0; k < observers; ++k)
            simulation.at_intervals(0.1, Quantities::acceleration, [](Simulation&) {});
        CheckpointReader archive(file);
        return error_line([&] { simulation.exchange(archive); }, Fault::restart);
    };
    CHECK(refusal(0.25, 0) == "");
    CHECK(refusal(1, 0) == "");
    CHECK(refusal(0.125, 0).find("end time: 0.125") == 0);
    CHECK(refusal(0.25, 1).find("timeline: 0 series") == 0);
}

TEST_SUITE_END();
