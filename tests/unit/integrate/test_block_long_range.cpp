// Individual steps in periodic boxes; the long range kicks over whole steps.
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/periodic/long_range_field.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/periodic_sets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("block_long_range");

namespace {

constexpr double eps = 0.002, longest_part = 128, end = 4 / longest_part;
constexpr Periodicity unit{1};

/// Random particles at rest; some are close to each other.
Particles at_rest()
{
    Particles particles = periodic_sets(3000)[0].particles;
    for (Vec3<double>& v : particles.velocity)
        v = {};
    return particles;
}

std::unique_ptr<Solver> solver_in_box()
{
    SolverOptions options;
    options.softening.length = eps;
    options.box = 1;
    options.periodic = {.mesh = 32};
    options.device = "cpu";
    return make_solver(options);
}

/// Returns the final state, with whole steps up to 1 / longest_part.
Particles moved_in_blocks(double eta, int rungs, std::uint64_t* deepest = nullptr)
{
    const auto solver = solver_in_box();
    Leapfrog blocks(*solver, BlockSteps{.criterion = StepCriterion::softening,
                                        .eta = eta,
                                        .longest = 1. / longest_part,
                                        .rungs = rungs});
    Particles particles = at_rest();
    Simulation(particles, blocks, 0, end).run();
    if (deepest)
        *deepest = blocks.report().deepest;
    return particles;
}

Particles moved_together(double dt)
{
    const auto solver = solver_in_box();
    Leapfrog leapfrog(*solver, {.length = dt});
    Particles particles = at_rest();
    Simulation(particles, leapfrog, 0, end).run();
    return particles;
}

/// Returns the rms distance relative to the rms displacement of the first.
double difference(const Particles& a, const Particles& b)
{
    const Particles begin = at_rest();
    double error = 0, moved = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error += norm_squared(unit.nearest(a.position[i] - b.position[i]));
        moved += norm_squared(unit.nearest(a.position[i] - begin.position[i]));
    }
    return std::sqrt(error / moved);
}

Vec3<double> momentum(const Particles& particles)
{
    Vec3<double> sum;
    for (std::size_t i = 0; i < particles.size(); ++i)
        sum += particles.mass[i] * particles.velocity[i];
    return sum;
}

} // namespace

TEST_CASE("with a single rung block steps equal the shared leapfrog up to rounding")
{
    CHECK(difference(moved_together(1. / longest_part), moved_in_blocks(1e3, 0)) < 1e-9);
}

TEST_CASE("block steps converge to short shared steps with second order")
{
    std::uint64_t deepest = 0;
    const Particles exact = moved_together(1. / (128 * longest_part)),
                    coarse = moved_in_blocks(0.2, 16, &deepest), fine = moved_in_blocks(0.025, 16);
    const double by_coarse = difference(exact, coarse), by_fine = difference(exact, fine);
    MESSAGE("deepest rung " << deepest << ", differences for eta 0.2 and 0.025: " << by_coarse
                            << ", " << by_fine << ", shared steps of maximum length: "
                            << difference(exact, moved_together(1. / longest_part)));
    CHECK(deepest >= 2);
    CHECK(by_coarse < 0.05);
    CHECK(by_fine < by_coarse / 16);
    CHECK(norm(momentum(fine)) < 1e-3);
}

TEST_CASE("accelerations and potentials include the long range after each whole step")
{
    const auto solver = solver_in_box(), other = solver_in_box();
    Leapfrog blocks(*solver, BlockSteps{.criterion = StepCriterion::softening, .eta = 0.2});
    Particles particles = at_rest();
    blocks.start(particles, Quantities::acceleration, {0, 0});
    blocks.step(particles, 1. / longest_part, Quantities::acceleration_potential, {1, 0});
    Particles whole = particles;
    other->solve(whole, Quantities::acceleration_potential);
    double error = 0, all = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        error += norm_squared(whole.acceleration[i] - particles.acceleration[i]);
        all += norm_squared(whole.acceleration[i]);
        CHECK(particles.potential[i] == doctest::Approx(whole.potential[i]).epsilon(1e-12));
    }
    CHECK(std::sqrt(error / all) < 1e-12);
}

TEST_CASE("whole steps move particles by at most a quarter of the split length")
{
    const auto solver = solver_in_box();
    Leapfrog blocks(*solver, BlockSteps{.criterion = StepCriterion::softening, .eta = 1e6});
    Particles particles = at_rest();
    for (Vec3<double>& v : particles.velocity)
        v = {3, 0, -4};
    blocks.start(particles, Quantities::acceleration, {0, 0});
    const double length = blocks.next_step({0, 0}).length,
                 max = 0.25 * split_radius(solver->options().periodic, 1) / 5;
    CHECK(length <= max);
    CHECK(length > max / 2);
}

TEST_SUITE_END();
