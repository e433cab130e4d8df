// A uniform sphere at rest collapses like the exact solution; energy is conserved through the
// bounce.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include <doctest/doctest.h>

#include "chamomile/initial/models/uniform.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("cold_collapse");

namespace {

constexpr double free_fall_time = std::numbers::pi / (2 * std::numbers::sqrt2);

/// r/R at t / t_ff: r = cos^2 b, t/t_ff = (2/pi) (b + sin(2b) / 2).
double exact_radius(double time)
{
    double low = 0, high = std::numbers::pi / 2;
    for (int k = 0; k < 60; ++k) {
        const double b = (low + high) / 2;
        (2 / std::numbers::pi * (b + std::sin(2 * b) / 2) < time ? low : high) = b;
    }
    return std::cos(low) * std::cos(low);
}

std::unique_ptr<Solver> tree(double G)
{
    SolverOptions options;
    options.softening = {SofteningKind::plummer, 0.02};
    options.gravitational_constant = G;
    options.device = "cpu";
    return make_solver(options);
}

/// Returns half-mass radii at these fractions of the free-fall time, relative to the start.
std::vector<double> half_mass_radii(const std::vector<double>& times, double G)
{
    Particles particles = make_cold_sphere({.particles = 4096}).particles;
    const double half[] = {0.5};
    const double start = lagrangian_radii(particles, {}, half).front();
    const auto solver = tree(G);
    std::vector<double> radii;
    double now = 0;
    for (const double time : times) {
        Simulation simulation(
            particles, *solver,
            {.start_time = now, .end_time = time * free_fall_time, .step = {.length = 0.002}});
        simulation.run();
        now = simulation.time();
        radii.push_back(lagrangian_radii(particles, {}, half).front() / start);
    }
    return radii;
}

struct EnergyErrors {
    double largest = 0, final = 0;
};

EnergyErrors energy_errors(const TimeStep& step)
{
    Particles particles = make_cold_sphere({.particles = 2048}).particles;
    const auto solver = tree(1);
    Simulation simulation(particles, *solver, {.end_time = 2, .step = step});
    double start = 0;
    EnergyErrors errors;
    simulation.every_steps(4, Quantities::acceleration_potential, [&](Simulation& now) {
        if (now.step() == 0)
            start = now.diagnostics().energy();
        errors.final = std::abs(now.diagnostics().energy() / start - 1);
        errors.largest = std::max(errors.largest, errors.final);
    });
    simulation.run();
    MESSAGE("dE/E " << errors.largest << " at most, " << errors.final << " at the end, "
                    << simulation.step() << " steps");
    return errors;
}

} // namespace

TEST_CASE("the exact solution matches tabulated radii")
{
    CHECK(exact_radius(0.5) == within(1e-8, 0.836806015));
    CHECK(exact_radius(0.9) == within(1e-8, 0.351357198));
}

TEST_CASE("the half-mass radius follows the exact solution")
{
    const std::vector<double> times{0.5, 0.75, 0.9};
    constexpr double limits[] = {0.005, 0.01, 0.03};
    const std::vector<double> right = half_mass_radii(times, 1),
                              wrong = half_mass_radii(times, 1.05);
    for (int k = 0; k < 3; ++k) {
        const double exact = exact_radius(times[k]);
        MESSAGE(times[k] << " t_ff: " << right[k] << ", exact " << exact);
        CHECK(std::abs(right[k] / exact - 1) < limits[k]);
        CHECK_FALSE(std::abs(wrong[k] / exact - 1) < limits[k]);
    }
}

TEST_CASE("adaptive steps keep the energy through the bounce, long fixed steps do not")
{
    const EnergyErrors adaptive =
        energy_errors({.kind = TimeStepKind::adaptive, .eta = 0.05, .longest = 0.002});
    CHECK(adaptive.largest < 1e-3);
    const EnergyErrors fixed = energy_errors({.length = 0.002});
    CHECK_FALSE(fixed.largest < 1e-3);
}

TEST_SUITE_END();
