// Hermite's scheme with many particles: levels, energies, bits, close pairs and refusals.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/threads.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/few_bodies.hpp"
#include "tests/unit/jerk_behaviours.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("block_steps");

namespace {

/// The reference without jerks.
class WrongJerk final : public JerkSolver {
public:
    ForceStatistics solve(std::span<const MovingSource> sources, std::span<const double> softening,
                          std::span<const Index> active, std::span<JerkSum> sums) override
    {
        const ForceStatistics statistics = right_.solve(sources, softening, active, sums);
        for (JerkSum& sum : sums)
            sum.jerk = {};
        return statistics;
    }
    std::string device() const override { return "wrong"; }
    const SolverOptions& options() const override { return right_.options(); }

private:
    ReferenceJerk right_;
};

double farthest(const Particles& a, const Particles& b)
{
    double farthest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        farthest = std::max(farthest, norm(a.position[i] - b.position[i]));
    return farthest;
}

} // namespace

TEST_CASE("jerk sums match plain loops")
{
    for (const std::string& set : instruction_sets()) {
        CAPTURE(set);
        check_jerk_sums("cpu", set);
    }
}

TEST_CASE("particles step at times divisible by their step")
{
    std::mt19937_64 random(5);
    constexpr std::size_t n = 50;
    constexpr double whole = 0.25;
    BlockLevels levels;
    levels.begin(n, whole, 1e-4);
    const auto time_step = [&] {
        return whole * std::exp2(-13.0 * double(random() % 1000) / 1000);
    };
    for (Index i = 0; i < n; ++i)
        levels.place(i, levels.level_for(time_step()));
    std::vector<double> gone(n, 0);
    std::vector<Index> due;
    int raised = 0, kept = 0;
    while (!levels.at_end()) {
        levels.advance(due);
        CHECK(!due.empty());
        for (Index i : due) {
            const double step = levels.since(i), next = time_step();
            gone[i] += step;
            CHECK(gone[i] == levels.elapsed());
            CHECK(step == levels.length(levels.level(i)));
            levels.change(i, next);
            const double now = levels.length(levels.level(i));
            CHECK(now >= 1e-4);
            CHECK((now <= next || now == levels.length(levels.level_for(1e-4))));
            CHECK(now <= 2 * step);
            const double times = levels.elapsed() / now;
            CHECK(times == std::floor(times));
            raised += now > step;
            kept += now == step && next >= 2 * step;
        }
    }
    for (double time : gone)
        CHECK(time == whole);
    CHECK(raised > 100);
    CHECK(kept > 100); // longer steps would not be commensurate
}

TEST_CASE("blocks of equal steps equal shared steps bitwise")
{
    constexpr double h = 0x1p-9;
    ReferenceJerk solver(0.1);
    const Result shared =
        evolve(solver, sphere(97), 0.125, {.sharing = StepSharing::shared, .fixed_length = h});
    const Result blocks =
        evolve(solver, sphere(97), 0.125, {.eta = 100, .eta_start = 100, .longest = h});
    CHECK(shared.report.blocks == 64);
    CHECK(blocks.report.blocks == 64);
    CHECK(shared.end.position == blocks.end.position);
    CHECK(shared.end.velocity == blocks.end.velocity);
}

TEST_CASE("individual steps converge to shared steps and need fewer particle steps")
{
    ReferenceJerk solver(0.02);
    double last = 1;
    for (double eta : {0.04, 0.01, 0.0025}) {
        const Result blocks = evolve(solver, sphere(128), 0.5, {.eta = eta, .eta_start = eta});
        const Result shared =
            evolve(solver, sphere(128), 0.5,
                   {.sharing = StepSharing::shared, .eta = eta, .eta_start = eta});
        const double difference = farthest(blocks.end, shared.end);
        MESSAGE("eta " << eta << ": farthest " << difference << ", " << blocks.report.particle_steps
                       << " steps instead of " << shared.report.particle_steps << ", dE/E "
                       << blocks.energy_error << " and " << shared.energy_error);
        CHECK(difference < last / 8); // sqrt(4)^4 = 16 at best
        CHECK(blocks.report.particle_steps < shared.report.particle_steps / 3);
        last = difference;
    }
    CHECK(last < 1e-7);
}

TEST_CASE("no step grows by more than a factor of two")
{
    ReferenceJerk solver(0.02);
    // Two equal bodies, from starts far shorter than necessary, through all powers of two.
    for (double eta_start : {1e-5, 1.2e-5, 1.4e-5, 1.6e-5, 1.8e-5}) {
        const auto steps =
            evolve(solver, bodies({}), 0.5, {.eta_start = eta_start}).report.steps_by_exponent;
        CHECK(steps.size() > 10);
        CHECK(steps.rbegin()->first - steps.begin()->first == int(steps.size()) - 1);
    }

    Particles particles = sphere(64);
    Hermite hermite(solver, {.sharing = StepSharing::shared, .eta_start = 1e-5});
    Simulation simulation(particles, hermite, 0, 0.0625);
    double before = 1;
    int doubled = 0;
    simulation.after_each_step([&](Simulation& now) {
        CHECK(now.step_length() <= 2 * before * (1 + 1e-9));
        doubled += now.step_length() > 1.9 * before;
        before = now.step_length();
    });
    simulation.run();
    CHECK(doubled > 5);
}

TEST_CASE("Hermite steps keep the energy of a sphere without softening")
{
    const std::unique_ptr<JerkSolver> solver = make_jerk_solver(direct_sums(0));
    const Result right = evolve(*solver, sphere(512), 1, {});
    MESSAGE("dE/E " << right.energy_error << " in " << right.report.blocks << " blocks of "
                    << right.report.particle_steps / right.report.blocks);
    CHECK(std::abs(right.energy_error) < 1e-7);
    std::uint64_t steps = 0;
    for (const auto& [exponent, count] : right.report.steps_by_exponent)
        steps += count;
    CHECK(steps == right.report.particle_steps);
    CHECK(right.report.steps_by_exponent.size() > 8);
    CHECK(right.report.below_shortest == 0);
    WrongJerk wrong;
    CHECK(std::abs(evolve(wrong, sphere(512), 0.25, {}).energy_error) > 1e-7);
}

TEST_CASE("with per-particle softening a sphere keeps energy, momentum and repeatable bits")
{
    for (const SofteningRule rule : {SofteningRule::larger, SofteningRule::root_of_squares}) {
        CAPTURE(int(rule));
        Particles start = sphere(256);
        for (std::size_t i = 0; i < start.size(); ++i)
            start.softening.push_back(i % 20 == 0 ? 0 : i % 2 ? 0.02 : 0.2);
        SolverOptions options = direct_sums(0);
        options.softening.rule = rule;
        const auto solver = make_jerk_solver(options);
        const Result result = evolve(*solver, start, 0.5, {});
        CHECK(std::abs(result.energy_error) < 1e-6);
        Vec3<double> total{};
        for (std::size_t i = 0; i < start.size(); ++i)
            total += start.mass[i] * result.end.acceleration[i];
        CHECK(norm(total) < 1e-15);
        CHECK(evolve(*solver, start, 0.5, {}).end.position == result.end.position);

        ReferenceJerk reference(0, 1, rule);
        CHECK(farthest(evolve(reference, start, 0.125, {}).end,
                       evolve(*solver, start, 0.125, {}).end) < 1e-11);
        // Equal lengths act like a single length.
        Particles alike = start;
        alike.softening.assign(alike.size(), 0.1);
        SolverOptions one = direct_sums(rule == SofteningRule::larger ? 0.1 : 0.1 * std::sqrt(2.0));
        CHECK(farthest(evolve(*solver, alike, 0.125, {}).end,
                       evolve(*make_jerk_solver(one), sphere(256), 0.125, {}).end) < 1e-13);
    }
}

TEST_CASE("results do not depend on the number of threads or on observers")
{
    const std::unique_ptr<JerkSolver> solver = make_jerk_solver(direct_sums(0.01));
    const int usual = thread_count();
    std::vector<Particles> ends;
    for (int threads : {1, 2, 3}) {
        use_threads(threads);
        Particles particles = sphere(8500); // more than worth_threads
        Hermite hermite(*solver, {.eta = 0.1});
        Simulation simulation(particles, hermite, 0, 1e-3);
        double energy = 0;
        if (threads > 1)
            simulation.after_each_step(
                [&](Simulation& now) { energy = now.diagnostics().energy(); });
        simulation.run();
        ends.push_back(particles);
    }
    use_threads(usual);
    for (int k : {1, 2}) {
        CHECK(ends[k].position == ends[0].position);
        CHECK(ends[k].velocity == ends[0].velocity);
    }
}

TEST_CASE("output accelerations and potentials match the output positions")
{
    ReferenceJerk solver(0.05);
    const Particles end = evolve(solver, sphere(50), 0.1, {}).end;
    std::vector<MovingSource> sources;
    std::vector<Index> all;
    for (std::size_t i = 0; i < end.size(); ++i) {
        sources.push_back({end.position[i], end.velocity[i], end.mass[i]});
        all.push_back(Index(i));
    }
    std::vector<JerkSum> sums(all.size());
    solver.solve(sources, {}, all, sums);
    for (std::size_t i = 0; i < end.size(); ++i) {
        CHECK(end.acceleration[i] == sums[i].acceleration);
        CHECK(end.potential[i] == sums[i].potential);
    }
}

TEST_CASE("the run reports the closest pair and the closest encounter")
{
    const Particles p = sphere(700);
    std::vector<MovingSource> sources;
    for (std::size_t i = 0; i < p.size(); ++i)
        sources.push_back({p.position[i], p.velocity[i], p.mass[i]});
    ClosePair expected;
    for (Index i = 0; i < p.size(); ++i)
        for (Index j = i + 1; j < p.size(); ++j)
            if (const double d = norm(p.position[i] - p.position[j]); d < expected.distance)
                expected = {i, j, d, 0};
    const ClosePair found = closest_pair(sources);
    CHECK(found.i == expected.i);
    CHECK(found.j == expected.j);
    CHECK(found.distance == expected.distance);
    std::vector<Index> all(sources.size());
    std::iota(all.begin(), all.end(), Index(0));
    const double reach = 0.1;
    const std::vector<ClosePair> nearest = nearest_within(reach, sources, all);
    std::size_t within_reach = 0;
    for (const Index i : all)
        if (const ClosePair pair = nearest_to(sources, i); pair.distance <= reach) {
            ++within_reach;
            CHECK(nearest[i].i == pair.i);
            CHECK(nearest[i].j == pair.j);
            CHECK(nearest[i].distance == pair.distance);
        }
    CHECK(within_reach > 10);

    // A binary among many particles, with pericenter 1e-4 and period pi 1e-3 sqrt(1e-3 / 2e-2).
    Particles binary = sphere(100);
    const double a = 5e-4, e = 0.8, m = 0.01;
    const double v = std::sqrt(2 * m / a * (1 - e) / (1 + e)); // at apocenter
    binary.position[1] = binary.position[0] + Vec3<double>{a * (1 + e), 0, 0};
    binary.velocity[1] = binary.velocity[0] + Vec3<double>{0, v, 0};
    const std::unique_ptr<JerkSolver> solver = make_jerk_solver(direct_sums(0));
    const Result result = evolve(*solver, binary, 5e-4, {});
    CHECK(result.report.closest.i == 0);
    CHECK(result.report.closest.j == 1);
    CHECK(result.report.closest.distance == within(0.01, a * (1 - e)));
    CHECK(std::abs(result.energy_error) < 1e-5);
}

TEST_CASE("a head-on collision ends the run or counts as a step below the minimum")
{
    Particles pair = bodies({.eccentricity = 0.5});
    for (Vec3<double>& v : pair.velocity)
        v = {};
    ReferenceJerk solver;
    const std::string message = error_line([&] { evolve(solver, pair, 1, {}); });
    CHECK(message.find("particle id 1: step ") == 0);
    CHECK(message.find(" from id 2; needs softening") != message.npos);
    CHECK(message.find("below the shortest of ") != message.npos);
    // They collide at t = pi (r / 2)^1.5, r = 1/2.
    const double t = std::stod(message.substr(message.find("t = ") + 4));
    CHECK(t == within(1e-6, 0.3926990817));

    const Result counted =
        evolve(solver, pair, 0.5, {.shortest = 1e-9, .below_shortest = BelowShortest::count});
    CHECK(counted.report.below_shortest > 0);
    CHECK(counted.report.shortest == 1e-9);
    CHECK(counted.report.closest.distance < 1e-4);
    CHECK(evolve(solver, pair, 0.3, {}).report.below_shortest == 0);
}

TEST_CASE("coincident particles without softening are refused by both ids")
{
    Particles twins = sphere(40);
    for (std::size_t i = 0; i < twins.size(); ++i)
        twins.id[i] = 100 + i;
    twins.position[31] = twins.position[7];
    ReferenceJerk reference, soft(0.01);
    const std::unique_ptr<JerkSolver> solver = make_jerk_solver(direct_sums(0));
    for (JerkSolver* hard : {static_cast<JerkSolver*>(&reference), solver.get()}) {
        const std::string message = error_line([&] { evolve(*hard, twins, 0.1, {}); });
        CHECK(message.find("particles with ids 107 and 131: equal positions at t = 0") == 0);
    }
    const Result softened = evolve(soft, twins, 0.01, {});
    CHECK(softened.report.closest.distance == 0);
    // One softening length of the two suffices, by either rule; lengths of other particles do not
    // help.
    twins.softening.assign(twins.size(), 0.01);
    twins.softening[7] = 0;
    CHECK(evolve(*solver, twins, 0.01, {}).report.closest.distance == 0);
    twins.softening[31] = 0;
    CHECK(error_line([&] {
              evolve(*solver, twins, 0.1, {});
          }).find("particles with ids 107 and 131: equal positions at t = 0") == 0);
    twins.softening[3] = -1;
    CHECK(error_line([&] {
              evolve(*solver, twins, 0.1, {});
          }).find("particle 3: softening length: -1") == 0);
    twins.softening.pop_back();
    CHECK(error_line([&] { evolve(*solver, twins, 0.1, {}); }).find("softening: 39 lengths") == 0);
}

TEST_CASE("Hermite steps work for 0 to 3 particles and for zero masses")
{
    ReferenceJerk solver(0.01);
    for (std::size_t n : {0, 1, 2, 3}) {
        const Particles start = n > 0 ? sphere(n) : Particles();
        const Result result = evolve(solver, start, 0.25, {});
        CHECK(result.end.size() == n);
        if (n == 1) {
            CHECK(result.steps == 1);
            CHECK(norm(result.end.position[0] - start.position[0] - 0.25 * start.velocity[0]) <
                  1e-15);
        }
    }
    Particles tracers = sphere(30);
    for (std::size_t i = 1; i < tracers.size(); ++i)
        tracers.mass[i] = 0;
    CHECK(std::isfinite(evolve(solver, tracers, 0.25, {}).end.position[3].x));
}

TEST_CASE("a non-finite value ends the run and names the particle")
{
    ReferenceJerk solver(0.01);
    Particles particles = sphere(37);
    particles.id[17] = 117;
    particles.position[17].y = std::nan("");
    CHECK(error_line([&] { evolve(solver, particles, 1, {}); }).find("particle id 117: position") ==
          0);
    // Every particle fails in interpolation; the error names the first.
    const HermiteOptions long_steps{.sharing = StepSharing::shared, .fixed_length = 1e200};
    const std::string message = error_line([&] { evolve(solver, sphere(37), 1e201, long_steps); });
    CAPTURE(message);
    CHECK(message.find("particle id 1: position: not finite in step 1") == 0);
}

TEST_CASE("Hermite schemes refuse wrong options")
{
    ReferenceJerk solver;
    const double nan = std::nan("");
    for (const HermiteOptions& wrong :
         {HermiteOptions{.eta = 0}, HermiteOptions{.eta = nan}, HermiteOptions{.eta_start = -1},
          HermiteOptions{.iterations = 0}, HermiteOptions{.fixed_length = 0.1},
          HermiteOptions{.sharing = StepSharing::shared, .fixed_length = -1},
          HermiteOptions{.longest = 0}, HermiteOptions{.shortest = 2, .longest = 1}})
        CHECK_THROWS_AS(Hermite(solver, wrong), Error);
    SolverOptions options = direct_sums(0.1);
    options.softening.kind = SofteningKind::spline;
    CHECK_THROWS_AS(make_jerk_solver(options), Error);
    CHECK_THROWS_AS(make_jerk_solver({}), Error); // a tree
}

TEST_SUITE_END();
