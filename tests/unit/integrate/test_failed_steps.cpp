// A step that fails anywhere restores the state before it, from which the run can continue.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/restart_runs.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("failed_steps");

namespace {

/// Fails at the end of one evaluation.
class FailingSolver final : public Solver {
public:
    FailingSolver(std::unique_ptr<Solver> inner, int& left) : inner_(std::move(inner)), left_(left)
    {}
    ForceStatistics evaluate(const Request& request) override
    {
        return counted(inner_->evaluate(request));
    }
    bool takes_device_arrays() const override { return inner_->takes_device_arrays(); }
    Communicator* ranks_of_parts() override { return inner_->ranks_of_parts(); }
    void exchange(Archive& archive) override { inner_->exchange(archive); }
    std::string device() const override { return inner_->device(); }
    const SolverOptions& options() const override { return inner_->options(); }

private:
    ForceStatistics counted(ForceStatistics statistics)
    {
        if (--left_ == 0) // on all ranks
            throw CollectiveError(Fault::device, "the device is gone");
        return statistics;
    }

    std::unique_ptr<Solver> inner_;
    int& left_; ///< evaluations until the failure, inclusive
};

} // namespace

TEST_CASE("a run continues bitwise after a failure in any evaluation")
{
    const TemporaryFolder folder;
    const auto file = folder / "state.chk";
    int left = 0, failed = 0;
    std::size_t number = 0;
    std::vector<WayToMove> ways = ways_to_move([&](std::unique_ptr<Solver> solver) {
        return std::make_unique<FailingSolver>(std::move(solver), left);
    });
    // Without Hermite's scheme, direct sums that stay on the GPU, and ranks.
    std::erase_if(ways, [](const WayToMove& way) { return !way.make().solver; });
    for (const WayToMove& way : pairwise(ways)) {
        CAPTURE(way.name());
        left = 0;
        Followed whole(way);
        whole.simulation->run();
        const int evaluations = -left;
        const int early[] = {1, 2, 9}, late[] = {0, 1, (evaluations + 1) / 2};
        const std::size_t turn = number++;
        for (int fails_at : {early[turn % 3], evaluations / 2 + late[turn / 3 % 3]}) {
            CAPTURE(fails_at);
            left = fails_at;
            Followed first(way), second(way);
            CHECK_THROWS_WITH_AS(first.simulation->run(), "the device is gone", Error);
            const std::vector<double> before = first.energies;
            if (fails_at > 1)
                write_checkpoint(file,
                                 [&](Archive& archive) { first.simulation->exchange(archive); });
            first.simulation->run(); // the solver has recovered
            CHECK(same_bits(first.particles, whole.particles));
            CHECK(same_bits(first.energies, whole.energies));
            ++failed;
            if (fails_at == 1) // no file to restart from
                continue;
            second.particles = {};
            CheckpointReader archive(file);
            second.simulation->exchange(archive);
            second.simulation->run();
            CHECK(same_bits(second.particles, whole.particles));
            std::vector<double> energies = before;
            energies.insert(energies.end(), second.energies.begin(), second.energies.end());
            CHECK(same_bits(energies, whole.energies));
        }
    }
    CHECK(failed > 60);
}

TEST_CASE("a run on ranks continues bitwise after a failure in any evaluation")
{
    const RankSteps shared = TimeStep{.length = 1. / 64},
                    blocks = BlockSteps{.eta = 0.006, .longest = 1. / 64, .rebuild = 0.5};
    const Particles all = set_in_motion();
    for (const auto& [steps, kind] :
         {std::pair{shared, SolverKind::direct}, std::pair{blocks, SolverKind::tree},
          std::pair{shared, SolverKind::tree}}) {
        const auto run = [&, &steps = steps, kind = kind](int fails_at) {
            std::vector<Particles> parts(3);
            int evaluations = 0;
            run_ranks(3, [&](Communicator& own) {
                Particles& p = parts[std::size_t(own.rank())];
                p = all;
                for_each_column( // different numbers on each rank
                    [&](Column, const std::string&, auto& values) {
                        const auto n = std::ptrdiff_t(values.size()),
                                   r = std::ptrdiff_t(own.rank());
                        values.assign(values.begin() + n * r * r / 9,
                                      values.begin() + n * (r + 1) * (r + 1) / 9);
                    },
                    p);
                SolverOptions options;
                options.softening.length = 0.05;
                options.device = "cpu";
                options.solver = kind;
                int left = fails_at;
                FailingSolver solver(std::make_unique<DistributedSolver>(options, own), left);
                std::unique_ptr<Leapfrog> leapfrog;
                std::visit(
                    [&](const auto& one) { leapfrog = std::make_unique<Leapfrog>(solver, one); },
                    steps);
                Simulation simulation(p, *leapfrog, 0, end_of_followed);
                simulation.every_steps(3, Quantities::acceleration,
                                       [](Simulation& now) { now.diagnostics(); });
                if (fails_at > 0) {
                    CHECK_THROWS_WITH_AS(simulation.run(), "the device is gone", Error);
                }
                simulation.run(); // the solver has recovered
                if (own.rank() == 0)
                    evaluations = fails_at - left;
            });
            Particles whole;
            for (Particles& part : parts)
                for_each_column(
                    [](Column, const std::string&, auto& values, auto& more) {
                        values.insert(values.end(), more.begin(), more.end());
                    },
                    whole, part);
            return std::pair{whole, evaluations};
        };
        const auto [whole, evaluations] = run(0);
        CHECK(evaluations > 10);
        for (const int fails_at : {1, 2, 9, evaluations / 2, evaluations / 2 + 1, evaluations}) {
            CAPTURE(fails_at);
            CHECK(same_bits(run(fails_at).first, whole));
        }
    }
}

TEST_CASE("a start that fails keeps nothing of its particles, alone and on ranks")
{
    SolverOptions options;
    options.softening.length = 0.05;
    options.device = "cpu";
    const TimeStep step{.length = 1. / 64};
    const auto potentials_of = [&](std::unique_ptr<Solver> inner, int fails_at) {
        Particles p = set_in_motion();
        FailingSolver solver(std::move(inner), fails_at);
        Leapfrog leapfrog(solver, step);
        if (fails_at > 0)
            CHECK_THROWS_AS(leapfrog.start(p, Quantities::acceleration, {0, 0}), Error);
        for_each_column(
            [](Column, const std::string&, auto& values) {
                values.resize(std::max<std::size_t>(values.size(), 10) - 10);
            },
            p);
        leapfrog.evaluate(p, Quantities::acceleration_potential, {0, 0});
        leapfrog.fetch(p);
        return p.potential;
    };
    CHECK(
        same_bits(potentials_of(make_solver(options), 1), potentials_of(make_solver(options), 0)));
    run_ranks(3, [&](Communicator& own) {
        const auto make = [&] { return std::make_unique<DistributedSolver>(options, own); };
        CHECK(same_bits(potentials_of(make(), 1), potentials_of(make(), 0)));
    });
}

namespace {

/// Half on a lattice, where accelerations are below the tolerance's reference; half in clumps with
/// short steps.
Particles uneven()
{
    const auto sets = periodic_sets(2744);
    Particles particles = sets[3].particles;
    const Particles& clumps = sets[1].particles;
    for (std::size_t i = 1; i < particles.size(); i += 2)
        particles.position[i] = clumps.position[i];
    for (std::size_t i = 0; i < particles.size(); ++i) {
        particles.mass[i] = 1. / double(particles.size());
        particles.velocity[i] = {};
    }
    return particles;
}

} // namespace

TEST_CASE("a failed step in a box restores its tolerances")
{
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.01;
    options.box = 1;
    const BlockSteps steps{.criterion = StepCriterion::softening, .eta = 0.2};
    int left = 0;
    const WayToMove way{{}, [&] {
                            OwnedIntegrator owned;
                            owned.solver =
                                std::make_unique<FailingSolver>(make_solver(options), left);
                            owned.integrator = std::make_unique<Leapfrog>(*owned.solver, steps);
                            return owned;
                        }};
    const auto run = [&](const TemporaryFolder& folder, int fails_at) {
        left = fails_at;
        Followed first(way), second(way);
        first.particles = uneven();
        if (fails_at == 0) {
            first.simulation->run();
            return first.particles;
        }
        CHECK_THROWS_WITH_AS(first.simulation->run(), "the device is gone", Error);
        write_checkpoint(folder / "state.chk",
                         [&](Archive& archive) { first.simulation->exchange(archive); });
        CheckpointReader archive(folder / "state.chk");
        second.simulation->exchange(archive);
        second.simulation->run();
        return second.particles;
    };
    const TemporaryFolder folder;
    const Particles whole = run(folder, 0);
    for (int fails_at = 2; fails_at < 30; fails_at += 3) { // at least three whole steps
        CAPTURE(fails_at);
        CHECK(same_bits(run(folder, fails_at), whole));
    }
}

TEST_CASE("a failed Hermite block restores the state before the whole step")
{
    const WayToMove* blocks = nullptr;
    const std::vector<WayToMove> ways = ways_to_move();
    for (const WayToMove& way : ways)
        if (way.name() == "hermite, blocks, double, plummer, cpu")
            blocks = &way;
    REQUIRE(blocks);

    class FailingJerks final : public JerkSolver {
    public:
        explicit FailingJerks(JerkSolver& inner) : inner_(inner) {}
        ForceStatistics solve(std::span<const MovingSource> sources,
                              std::span<const double> softening, std::span<const Index> active,
                              std::span<JerkSum> sums) override
        {
            ForceStatistics statistics = inner_.solve(sources, softening, active, sums);
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
        Particles particles = set_in_motion();
        Simulation simulation(particles, scheme, 0, end_of_followed);
        // The same observers as Followed: they affect whole steps.
        simulation.at_intervals(0.1, Quantities::acceleration_potential, [](Simulation&) {});
        simulation.every_steps(3, Quantities::acceleration,
                               [](Simulation& now) { now.diagnostics(); });
        jerks.fails_at = fails_at;
        CHECK_THROWS_WITH_AS(simulation.run(), doctest::Contains("not finite"), Error);
        CHECK(!simulation.at_end());
        simulation.run(); // the solver has recovered
        CHECK(simulation.at_end());
        CHECK(same_bits(particles, whole.particles));
    }
}

TEST_SUITE_END();
