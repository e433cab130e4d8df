// The leapfrog with individual steps: time line, bits, errors, refusals.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/initial/models/spheres.hpp"
#include "chamomile/initial/models/uniform.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/few_bodies.hpp"
#include "tests/unit/followed.hpp"
#include "tests/unit/reference_solver.hpp"
#include "tests/unit/requests.hpp"
#include "tests/unit/restart_runs.hpp"
#include "tests/unit/some_targets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("block_leapfrog");

namespace {

using std::numbers::pi;

/// Each particle falls with a constant individual acceleration, so every step is exact.
class ConstantFields final : public Solver {
public:
    explicit ConstantFields(std::vector<Vec3<double>> fields) : fields_(std::move(fields))
    {
        options_.softening = {SofteningKind::plummer, 1};
    }
    ForceStatistics evaluate(const Request& request) override
    {
        ForceStatistics statistics;
        statistics.targets = target_count(request);
        targets += statistics.targets;
        ++evaluations;
        for (std::size_t k = 0; k < statistics.targets; ++k) {
            const Index i = target(request, k);
            request.acceleration.store_vector(i, fields_[i]);
        }
        if (evaluations == fails_at)
            throw Error(Fault::device, "the device is gone");
        return statistics;
    }
    std::string device() const override { return "constant"; }
    const SolverOptions& options() const override { return options_; }

    std::uint64_t targets = 0, evaluations = 0, fails_at = 0;

private:
    std::vector<Vec3<double>> fields_;
    SolverOptions options_;
};

struct Falling {
    Particles particles;
    std::vector<Vec3<double>> fields;

    explicit Falling(std::size_t n)
    {
        particles = plummer(n);
        Random random(3);
        for (std::size_t i = 0; i < n; ++i) {
            particles.velocity[i] = on_sphere(random, random());
            fields.push_back(on_sphere(random, std::pow(10.0, 6 * random() - 3)));
        }
    }
};

} // namespace

TEST_CASE("particles cover each whole step without gap or overlap for any time steps")
{
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponent(-9, 1);
    const std::size_t n = 700;
    for (double whole : {1.0, 0.3, 1e-7}) {
        BlockLevels levels;
        levels.begin(n, whole, whole / 512);
        std::vector<double> time_step(n);
        for (double& w : time_step)
            w = whole * std::exp2(exponent(random));
        for (std::size_t i = 0; i < n; ++i)
            levels.place(Index(i), levels.level_for(time_step[i]));
        std::vector<double> parts(n); // fractions of the whole step, sums of powers of two
        std::vector<Index> due;
        while (!levels.at_end()) {
            levels.advance(due);
            REQUIRE(!due.empty());
            for (Index i : due) {
                CHECK(levels.level(i) >= levels.longest_due());
                CHECK(levels.length(levels.level(i)) <= time_step[i] + whole / 512);
                parts[i] += std::exp2(-levels.level(i));
                CHECK(parts[i] * whole == levels.elapsed());
                time_step[i] = whole * std::exp2(exponent(random));
            }
            if (levels.at_end())
                break;
            for (Index i : due)
                levels.change(i, time_step[i]);
            std::uint64_t counted = 0;
            for (int level = 0; level <= levels.lowest(); ++level)
                counted += levels.count(level);
            CHECK(counted == n);
            for (double part : parts) // no due particle is left behind
                CHECK(part <= levels.elapsed() / whole + 1e-15);
        }
        CHECK(std::count(parts.begin(), parts.end(), 1.0) == std::ptrdiff_t(n));
    }
}

TEST_CASE("block steps with a single rung equal the shared leapfrog bitwise")
{
    const auto solver = make_solver(tree_options(0.05));
    const Particles start = Falling(603).particles;
    Leapfrog shared(*solver, {.length = 1. / 64});
    Leapfrog blocks(*solver, BlockSteps{.eta = 1e3, .longest = 1. / 64, .rungs = 0});
    const Outcome a = follow(start, shared, 0.5, 0.125), b = follow(start, blocks, 0.5, 0.125);
    CHECK(same_bits(a.particles, b.particles));
    CHECK(a.evaluations == b.evaluations);
    Leapfrog two(*solver, BlockSteps{.eta = 0.01, .longest = 1. / 64, .rungs = 1});
    CHECK_FALSE(same_bits(a.particles, follow(start, two, 0.5, 0.125).particles));
}

TEST_CASE("outputs synchronize all rungs: parabolic orbits stay exact")
{
    Falling falling(500);
    ConstantFields solver(falling.fields);
    Leapfrog blocks(
        solver, BlockSteps{.criterion = StepCriterion::softening, .eta = 0.1, .shortest = 5e-3});
    const Particles start = falling.particles;
    Simulation simulation(falling.particles, blocks, 0, 1);
    double worst = 0;
    int outputs = 0;
    simulation.at_intervals(0.3, Quantities::acceleration, [&](Simulation& now) {
        ++outputs;
        const double t = now.time();
        for (std::size_t i = 0; i < start.size(); ++i) {
            const Vec3<double> a = falling.fields[i];
            const Vec3<double> v = start.velocity[i] + t * a;
            const Vec3<double> x = start.position[i] + t * start.velocity[i] + (t * t / 2) * a;
            const double size = 1 + norm(a);
            worst = std::max({worst, norm(now.particles().position[i] - x) / size,
                              norm(now.particles().velocity[i] - v) / size});
        }
    });
    simulation.run();
    CHECK(outputs == 5);
    CHECK(worst < 2e-12);
    const BlockReport& report = blocks.report();
    CHECK(report.rungs.size() >= 4);
    CHECK(report.below_shortest > 0);
    std::uint64_t steps = 0, targets = 0, evaluations = 0;
    double time = 0;
    for (const auto& [exponent, rung] : report.rungs) {
        steps += rung.particle_steps;
        targets += rung.targets;
        evaluations += rung.evaluations;
        time += rung.particle_time;
    }
    CHECK(steps == targets);
    CHECK(steps + start.size() == solver.targets);
    CHECK(evaluations + 1 == solver.evaluations);
    CHECK(std::abs(time / double(start.size()) - 1) < 1e-12);
    CHECK(double(steps) < 0.5 * double(evaluations) * double(start.size()));
}

TEST_CASE("block steps converge with second order on orbits of eccentricity 0.9")
{
    const int threads = thread_count();
    use_threads(1);
    const auto error = [](double eta, StepCriterion criterion) {
        ReferenceSolver solver({SofteningKind::plummer, 1e-9});
        BlockSteps steps{.criterion = criterion, .eta = eta};
        if (criterion == StepCriterion::softening)
            steps.eta *= 1e4; // sqrt(eps)
        Leapfrog blocks(solver, steps);
        Particles pair = bodies({.eccentricity = 0.9, .mass_ratio = 0.5});
        const double start = orbit_energy(pair);
        double largest = 0;
        Simulation simulation(pair, blocks, 0, 4 * pi);
        simulation.after_each_step([&](Simulation& now) {
            largest = std::max(largest, std::abs(orbit_energy(now.particles()) / start - 1));
        });
        simulation.run();
        return largest;
    };
    for (StepCriterion criterion : {StepCriterion::potential, StepCriterion::softening}) {
        const double coarse = error(0.02, criterion), fine = error(0.0025, criterion);
        const double order = std::log2(coarse / fine) / 3;
        MESSAGE("errors " << coarse << ", " << fine << ": order " << order);
        CHECK(std::abs(order - 2) < 0.25);
        CHECK(fine < 1e-3);
    }
    use_threads(threads);
}

TEST_CASE("block steps keep a Hernquist sphere's energy at a third of the evaluations")
{
    const Particles start = make_sphere(SphereKind::hernquist, 20000).particles;
    const auto solver = make_solver(tree_options(0.02));
    Leapfrog shared(*solver, {.length = 0.04});
    Leapfrog blocks(*solver, BlockSteps{.eta = 0.05});
    const Outcome all = follow(start, shared, 3, 1), few = follow(start, blocks, 3, 1);
    MESSAGE("shared: " << all.largest << " by " << all.evaluations
                       << " evaluations; blocks: " << few.largest << " by " << few.evaluations);
    CHECK(few.largest < 1.2 * all.largest);
    CHECK(3 * few.evaluations < all.evaluations);
}

TEST_CASE("a cold sphere bounces with an energy error below 1e-3")
{
    const Particles start = make_cold_sphere({.particles = 2048}).particles;
    const auto solver = make_solver(tree_options(0.02));
    const auto largest = [&](double eta) {
        Leapfrog blocks(*solver, BlockSteps{.criterion = StepCriterion::softening, .eta = eta});
        const Outcome outcome = follow(start, blocks, 2, 0.0625);
        MESSAGE("eta " << eta << ": dE/E " << outcome.largest << ", " << outcome.evaluations
                       << " evaluations");
        return outcome.largest;
    };
    CHECK(largest(0.05) < 1e-3);
    CHECK_FALSE(largest(0.4) < 1e-3);
}

TEST_CASE("block steps match bitwise for any number of threads")
{
    const Particles start = Falling(12000).particles; // loops parallel over threads
    const int before = thread_count();
    Outcome first;
    for (int threads : {1, 2, 3}) {
        use_threads(threads);
        const auto solver = make_solver(tree_options(0.05));
        Leapfrog blocks(*solver, BlockSteps{.eta = 0.05});
        Outcome now = follow(start, blocks, 0.25, 0.25);
        CHECK(blocks.report().deepest > 0);
        if (threads == 1)
            first = std::move(now);
        else
            CHECK(same_bits(first.particles, now.particles));
    }
    use_threads(before);
}

TEST_CASE("a failed block restores the state before the whole step")
{
    Falling falling(50);
    ConstantFields sound(falling.fields), failing(falling.fields);
    const BlockSteps steps{.criterion = StepCriterion::softening};
    Particles whole = falling.particles, parts = falling.particles;
    Leapfrog one(sound, steps), two(failing, steps);
    Simulation undisturbed(whole, one, 0, 0.5), disturbed(parts, two, 0, 0.5);
    undisturbed.run();
    failing.fails_at = 20;
    CHECK_THROWS_AS(disturbed.run(), Error);
    CHECK(!disturbed.at_end());
    disturbed.run();
    CHECK(same_bits(whole.position, parts.position));
    CHECK(same_bits(whole.velocity, parts.velocity));
    CHECK(one.report().rungs.begin()->second.particle_steps ==
          two.report().rungs.begin()->second.particle_steps);
}

TEST_CASE("an extra evaluation of potentials changes no later step")
{
    const auto moved = [](bool looks) {
        Particles particles = Falling(3000).particles;
        const auto solver = make_solver(tree_options(0.05));
        // Trees are kept until each whole step ends, so a new tree has other bits.
        Leapfrog blocks(*solver, BlockSteps{.criterion = StepCriterion::softening, .rebuild = 2});
        blocks.start(particles, Quantities::acceleration, {0, 0});
        for (std::uint64_t step = 1; step <= 4; ++step) {
            const double time = double(step - 1) / 16;
            blocks.step(particles, 1. / 16, Quantities::acceleration, {step, time});
            if (looks)
                blocks.evaluate(particles, Quantities::acceleration_potential,
                                {step, time + 1. / 16});
        }
        CHECK(blocks.report().deepest >= 1);
        return particles;
    };
    const Particles blind = moved(false), seen = moved(true);
    CHECK(same_bits(blind.position, seen.position));
    CHECK(same_bits(blind.velocity, seen.velocity));
}

TEST_CASE("invalid block-step options are refused with an error line")
{
    const auto solver = make_solver(tree_options(0));
    const auto refusal = [&](BlockSteps steps) {
        return error_line([&] { Leapfrog blocks(*solver, steps); }, Fault::usage);
    };
    CHECK(refusal({}) == "");
    CHECK(refusal({.criterion = StepCriterion::softening}).find("needs a softening") !=
          std::string::npos);
    CHECK(refusal({.eta = 0}) == "block steps: eta: 0.000000: must be > 0");
    CHECK(refusal({.shortest = 2, .longest = 1}).find("shortest") != std::string::npos);
    CHECK(refusal({.rungs = 41}).find("rungs") != std::string::npos);
    CHECK(refusal({.rungs = -1}).find("rungs") != std::string::npos);
    CHECK(refusal({.rebuild = NAN}).find("rebuild") != std::string::npos);
}

TEST_SUITE_END();
