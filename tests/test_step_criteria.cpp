// By what shared and individual steps of the leapfrog go.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "core/error.hpp"
#include "force/threads.hpp"
#include "integrate/leapfrog.hpp"
#include "integrate/simulation.hpp"
#include "tests/few_bodies.hpp"
#include "tests/reference_solver.hpp"
#include "tests/restart_runs.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("step_criteria");

namespace {

constexpr double pi = std::numbers::pi;

/// The reference, which fails once.
class FailingSolver final : public ReferenceSolver {
public:
    FailingSolver(int fails_at) : fails_at_(fails_at) {}
    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        const ForceStatistics statistics = ReferenceSolver::solve(particles, quantities, active);
        if (evaluations == fails_at_)
            throw Error(Fault::device, "the device is gone");
        return statistics;
    }

private:
    int fails_at_;
};

TimeStep by_potential(double eta)
{
    return {.kind = TimeStepKind::adaptive, .eta = eta, .criterion = StepCriterion::potential};
}

} // namespace

TEST_CASE("shared steps by potentials need no softening and follow an orbit to second order")
{
    const int threads = thread_count();
    use_threads(1);
    const auto error = [](const TimeStep& step) {
        ReferenceSolver solver;
        Leapfrog leapfrog(solver, step);
        Particles pair = bodies({.eccentricity = 0.9, .mass_ratio = 0.5});
        const double start = orbit_energy(pair);
        double largest = 0;
        Simulation simulation(pair, leapfrog, 0, 4 * pi);
        simulation.after_each_step([&](Simulation& now) {
            largest = std::max(largest, std::abs(orbit_energy(now.particles()) / start - 1));
        });
        simulation.run();
        return std::pair(largest, double(simulation.step()));
    };
    const auto [coarse, few] = error(by_potential(0.02));
    const auto [fine, many] = error(by_potential(0.0025));
    const double order = std::log2(coarse / fine) / std::log2(many / few);
    MESSAGE("errors " << coarse << ", " << fine << ": order " << order);
    CHECK(std::abs(order - 2) < 0.25);
    CHECK(fine < 1e-3);
    CHECK(error({.length = 4 * pi / many}).first > 10 * fine);
    use_threads(threads);
}

TEST_CASE("a step by potentials that fails is taken again from the same state")
{
    const Particles start = bodies({.eccentricity = 0.6, .mass_ratio = 0.5});
    Particles whole = start, parts = start;
    ReferenceSolver sound;
    FailingSolver failing(40);
    Leapfrog one(sound, by_potential(0.05)), two(failing, by_potential(0.05));
    Simulation undisturbed(whole, one, 0, 6), disturbed(parts, two, 0, 6);
    undisturbed.run();
    CHECK_THROWS_AS(disturbed.run(), Error);
    CHECK(!disturbed.at_end());
    disturbed.run();
    CHECK(undisturbed.step() == disturbed.step());
    CHECK(same_bits(whole, parts));
}

TEST_SUITE_END();
