// A run that is kept on the way and gone on with, in another process so to speak, is the same run.
#include <cstring>

#include <doctest/doctest.h>

#include "core/error.hpp"
#include "force/threads.hpp"
#include "tests/reference_solver.hpp"
#include "tests/restart_runs.hpp"
#include "tests/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("restart");

namespace {

constexpr double end_time = 0.25;

/// A set in motion, with a close pair for the schemes that care.
Particles start()
{
    Particles particles = plummer(301);
    Random random(5);
    for (auto& v : particles.velocity)
        v = on_sphere(random, 0.4 * random());
    return particles;
}

struct Followed {
    Particles particles = start();
    OwnedIntegrator owned;
    std::unique_ptr<Simulation> simulation;
    std::vector<double> energies;

    explicit Followed(const WayToMove& way) : owned(way.make())
    {
        simulation = std::make_unique<Simulation>(particles, *owned.integrator, 0, end_time);
        constexpr auto potentials = Quantities::acceleration_potential;
        simulation->at_intervals(0.1, potentials, [this](Simulation& now) { note(now); });
        simulation->every_steps(3, Quantities::acceleration,
                                [this](Simulation& now) { note(now); });
    }
    void note(Simulation& now) { energies.push_back(now.diagnostics().energy()); }
};

} // namespace

TEST_CASE("every way to move particles goes on bit by bit, whatever the number of threads")
{
    const TemporaryFolder folder;
    const int threads = thread_count();
    for (const WayToMove& way : ways_to_move()) {
        CAPTURE(way.name);
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
            part.particles = {}; // all comes from the file
            if (parts > 1) {
                CheckpointReader archive(file);
                part.simulation->exchange(archive);
            } else {
                part.particles = start();
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

/// Fails in one evaluation after it has written sums.
class FailingSolver final : public ReferenceSolver {
public:
    using ReferenceSolver::ReferenceSolver;
    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        ForceStatistics statistics = ReferenceSolver::solve(particles, quantities, active);
        if (++evaluations_ == fails_at)
            throw Error(Fault::device, "the device is gone");
        return statistics;
    }
    int fails_at = 0;

private:
    int evaluations_ = 0;
};

Particles few()
{
    Particles particles = start();
    particles.resize(37);
    return particles;
}

} // namespace

TEST_CASE("a step that fails leaves the state before it, and that goes on")
{
    const TemporaryFolder folder;
    const Softening softening{SofteningKind::plummer, 0.05};
    const SimulationOptions time{.end_time = 0.25, .step = {.length = 1. / 64}};
    Particles undisturbed = few();
    ReferenceSolver sound(softening);
    Simulation whole(undisturbed, sound, time);
    whole.run();

    Particles particles = few();
    FailingSolver failing(softening);
    failing.fails_at = 8;
    Simulation first(particles, failing, time);
    CHECK_THROWS_AS(first.run(), Error);
    CHECK(first.step() == 6);
    CHECK(first.time() == 6. / 64);
    Particles at_six = few();
    Simulation six(at_six, sound, {.end_time = 0.25, .step = {.length = 1. / 64}});
    six.when_done([](Simulation& now) {
        if (now.step() == 6)
            now.stop();
    });
    six.run();
    CHECK(same_bits(particles.position, at_six.position));
    CHECK(same_bits(particles.velocity, at_six.velocity));
    CHECK(same_bits(particles.acceleration, at_six.acceleration));

    const auto file = folder / "state.chk";
    write_checkpoint(file, [&](Archive& archive) { first.exchange(archive); });
    Particles later;
    Simulation second(later, sound, time);
    CheckpointReader archive(file);
    second.exchange(archive);
    second.run();
    CHECK(same_bits(later, undisturbed));
}

TEST_CASE("blocks of Hermite's scheme that fail leave the state before the whole step")
{
    const WayToMove* blocks = nullptr;
    const std::vector<WayToMove> ways = ways_to_move();
    for (const WayToMove& way : ways)
        if (way.name == "hermite, blocks, plummer, cpu")
            blocks = &way;
    REQUIRE(blocks);

    class FailingJerks final : public JerkSolver {
    public:
        explicit FailingJerks(JerkSolver& inner) : inner_(inner) {}
        ForceStatistics solve(std::span<const MovingSource> sources, std::span<const Index> active,
                              std::span<JerkSum> sums) override
        {
            ForceStatistics statistics = inner_.solve(sources, active, sums);
            if (++calls == fails_at)
                sums[0].acceleration.x = NAN;
            return statistics;
        }
        std::string device() const override { return inner_.device(); }
        const SolverOptions& options() const override { return inner_.options(); }
        int calls = 0, fails_at = 0;

    private:
        JerkSolver& inner_;
    };

    Followed whole(*blocks);
    whole.simulation->run();
    OwnedIntegrator sound = blocks->make();
    for (int fails_at : {5, 20, 40}) {
        CAPTURE(fails_at);
        FailingJerks jerks(*sound.jerks);
        HermiteOptions options = dynamic_cast<Hermite&>(*sound.integrator).options();
        Hermite scheme(jerks, options);
        Particles particles = start();
        Simulation simulation(particles, scheme, 0, end_time);
        // The observers of Followed: they decide about the whole steps.
        simulation.at_intervals(0.1, Quantities::acceleration_potential, [](Simulation&) {});
        simulation.every_steps(3, Quantities::acceleration,
                               [](Simulation& now) { now.diagnostics(); });
        jerks.fails_at = fails_at;
        CHECK_THROWS_WITH_AS(simulation.run(), doctest::Contains("is no longer a finite number"),
                             Error);
        CHECK(!simulation.at_end());
        simulation.run(); // the solver has recovered
        CHECK(simulation.at_end());
        CHECK(same_bits(particles, whole.particles));
    }
}

TEST_CASE("an observer that fails is called again, those before it are not")
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
    second.run();
    std::vector<std::uint64_t> all(17);
    for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = k;
    CHECK(before == all);
    CHECK(itself == std::vector<std::uint64_t>{0, 8, 16});
    CHECK(after == std::vector<std::uint64_t>{0, 8, 16});
}

TEST_CASE("states that do not fit are refused")
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
        try {
            simulation.exchange(archive);
        } catch (const Error& error) {
            CHECK(error.fault() == Fault::restart);
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refusal(0.25, 0) == "");
    CHECK(refusal(1, 0) == "");
    CHECK(refusal(0.125, 0).find("end time: 0.125") == 0);
    CHECK(refusal(0.25, 1).find("timeline: 0 series") == 0);
}

TEST_SUITE_END();
