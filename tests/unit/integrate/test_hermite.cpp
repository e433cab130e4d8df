// Hermite's scheme on few-body problems: errors known to a few per cent, which change visibly if
// scheme or force is slightly wrong. test_block_steps.cpp tests many bodies.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/hermite.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/few_bodies.hpp"
#include "tests/unit/reference_jerk.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("hermite");

namespace {

using std::numbers::pi;

struct Figures {
    double energy_error = 0;     ///< max |dE/E|
    double pericenter_shift = 0; ///< per orbit, rad
};

struct Variant {
    int iterations = 1;
    LastEvaluation last = LastEvaluation::before_correction;
    double G = 1, eps = 0; ///< wrong unless 1 and 0
};

/// Ten orbits of n equal steps.
Figures ten_orbits(const PairOrbit& orbit, int n, const Variant& scheme)
{
    use_threads(1); // two bodies do not keep two threads busy
    ReferenceJerk solver(scheme.eps, scheme.G);
    Hermite hermite(solver, {.sharing = StepSharing::shared,
                             .fixed_length = 2 * pi / n,
                             .iterations = scheme.iterations,
                             .last_evaluation = scheme.last});
    Particles pair = bodies(orbit);
    const double start = orbit_energy(pair);
    Figures figures;
    Simulation simulation(pair, hermite, 0, 20 * pi);
    simulation.after_each_step([&](Simulation&) {
        figures.energy_error =
            std::max(figures.energy_error, std::abs(orbit_energy(pair) / start - 1));
    });
    simulation.run();
    CHECK(simulation.step() == std::uint64_t(10 * n));
    figures.pericenter_shift = pericenter_angle(pair) / 10;
    return figures;
}

constexpr int steps[] = {100, 200, 400, 800};
constexpr Variant pec{}, pece{.last = LastEvaluation::after_correction}, pec2{.iterations = 2};
/// Max |dE/E| at e = 0.5 for these step numbers, from other programs.
constexpr double pece_errors[] = {9.96e-5, 6.37e-6, 4.03e-7, 2.53e-8},
                 pec2_errors[] = {8.70e-5, 5.43e-6, 3.39e-7, 2.12e-8},
                 pec_errors[] = {1.549e-3, 4.851e-5, 1.521e-6, 4.799e-8};

double order(const Variant& scheme)
{
    return std::log2(ten_orbits({.eccentricity = 0.5}, 200, scheme).energy_error /
                     ten_orbits({.eccentricity = 0.5}, 800, scheme).energy_error) /
           2;
}

/// The Pythagorean bodies with shared steps, up to t.
Particles pythagorean(double t, const HermiteOptions& options, HermiteReport* report = nullptr)
{
    ReferenceJerk solver;
    Hermite hermite(solver, options);
    Particles bodies = pythagorean_bodies();
    Simulation simulation(bodies, hermite, 0, t);
    simulation.run();
    if (report)
        *report = hermite.report();
    return bodies;
}

/// Positions of the body with mass 3, from a 32-digit solution.
constexpr Vec3<double> at_10{0.77848041013808549, 0.14139230029008617, 0},
    at_20{3.0042926366963992, 0.51192523502468587, 0};

} // namespace

TEST_CASE("energy errors over ten orbits match published values")
{
    for (int k = 0; k < 4; ++k) {
        CAPTURE(steps[k]);
        const auto error = [&](const Variant& scheme) {
            return ten_orbits({.eccentricity = 0.5}, steps[k], scheme).energy_error;
        };
        CHECK(error(pece) == within(0.02, pece_errors[k]));
        CHECK(error(pec2) == within(0.02, pec2_errors[k]));
        CHECK(error(pec) == within(0.02, pec_errors[k]));
        CHECK_FALSE(error({.iterations = 2, .G = 1.001}) == within(0.02, pec2_errors[k]));
        CHECK_FALSE(error({.iterations = 2, .eps = 0.02}) == within(0.02, pec2_errors[k]));
    }
}

TEST_CASE("the scheme converges with fourth order")
{
    CHECK(std::abs(order(pece) - 4) <= 0.1);
    CHECK(std::abs(order(pec2) - 4) <= 0.1);
    CHECK(order(pec) >= 4); // a fifth-order term dominates in ten orbits
    CHECK_FALSE(std::abs(order({.iterations = 2, .eps = 0.01}) - 4) <= 0.1);
}

TEST_CASE("pericenter shifts match published values")
{
    constexpr double shifts[] = {1.7e-4, 1.1e-5, 6.7e-7, 4.2e-8}; // known to two digits
    for (int k = 0; k < 4; ++k) {
        CAPTURE(steps[k]);
        const double shift = ten_orbits({.eccentricity = 0.5}, steps[k], pece).pericenter_shift;
        CHECK(shift == within(0.04, shifts[k]));
    }
    CHECK_FALSE(ten_orbits({.eccentricity = 0.5}, 400, {.eps = 0.001}).pericenter_shift ==
                within(0.04, shifts[2]));
}

TEST_CASE("unequal masses and a moving frame do not change the errors")
{
    const double error = ten_orbits({.eccentricity = 0.5}, 400, pec2).energy_error;
    for (const PairOrbit& orbit :
         {PairOrbit{.eccentricity = 0.5, .mass_ratio = 1e-6},
          PairOrbit{.eccentricity = 0.5, .offset = {100, 0, 0}, .boost = {10, 0, 0}}})
        CHECK(std::abs(ten_orbits(orbit, 400, pec2).energy_error - error) < 1e-10);
}

TEST_CASE("the Pythagorean problem matches the solution at t = 10 and 20")
{
    // Errors at these times with shared steps and an evaluation after the corrector, from another
    // program. Limits are 3 times larger.
    struct Known {
        double eta, at_10, at_20;
    };
    const auto errors = [](const HermiteOptions& options) {
        const double d10 = norm(pythagorean(10, options).position[0] - at_10),
                     d20 = norm(pythagorean(20, options).position[0] - at_20);
        MESSAGE("eta " << options.eta << ": " << d10 << " at t = 10, " << d20 << " at t = 20");
        return std::pair(d10, d20);
    };
    for (const Known& known : {Known{0.01, 1.5e-4, 7.5e-4}, Known{0.005, 2.7e-5, 1.3e-4},
                               Known{0.0025, 4.7e-6, 2.3e-5}}) {
        CAPTURE(known.eta);
        const auto is_right = [&](std::pair<double, double> d) {
            return d.first < 3 * known.at_10 && d.second < 3 * known.at_20;
        };
        HermiteOptions options{.sharing = StepSharing::shared, .eta = known.eta};
        const auto [pec_10, pec_20] = errors(options);
        options.iterations = 2;
        CHECK(is_right(errors(options)));
        options.iterations = 1;
        options.last_evaluation = LastEvaluation::after_correction;
        CHECK(is_right(errors(options)));
        // One evaluation per step costs half, and errors are ten times larger.
        CHECK(pec_10 < 30 * known.at_10);
        CHECK(pec_20 < 30 * known.at_20);
        options.eta *= 4;
        CHECK_FALSE(is_right(errors(options)));
    }
}

TEST_CASE("block steps reproduce the Pythagorean solution")
{
    // Limits are three times the measured errors.
    const auto errors = [](double eta, HermiteReport& report) {
        const HermiteOptions options{.eta = eta, .iterations = 2};
        const double d10 = norm(pythagorean(10, options).position[0] - at_10),
                     d20 = norm(pythagorean(20, options, &report).position[0] - at_20);
        MESSAGE("eta " << eta << ": " << d10 << " at t = 10, " << d20 << " at t = 20 in "
                       << report.blocks << " blocks, " << report.particle_steps << " steps");
        return std::pair(d10, d20);
    };
    HermiteReport report;
    const auto coarse = errors(0.01, report), fine = errors(0.0025, report);
    CHECK(coarse.first < 1);
    CHECK(coarse.second < 1);
    CHECK(fine.first < 1);
    CHECK(fine.second < 1);
    // The deepest encounter is known: r = 4.138264e-4 at t = 15.829920.
    CHECK(report.closest.distance == within(0.01, 4.138264e-4));
    CHECK(report.closest.time == within(1e-5, 15.829920));
    CHECK(report.closest.i + report.closest.j > 0);
}

TEST_CASE("the figure-eight orbit closes after a period")
{
    // From numbers with eight digits, to 4e-8; body 3 begins where the attractions cancel.
    const auto distance = [](double eta) {
        ReferenceJerk solver;
        Hermite hermite(solver, {.eta = eta, .iterations = 2});
        Particles bodies = figure_eight();
        Simulation simulation(bodies, hermite, 0, figure_eight_period);
        simulation.run();
        double farthest = 0;
        for (int i = 0; i < 3; ++i)
            farthest = std::max(farthest, norm(bodies.position[i] - figure_eight().position[i]));
        return farthest;
    };
    CHECK(distance(1e-4) == within(0.1, 4e-8));
    CHECK_FALSE(distance(1e-3) == within(0.1, 4e-8));
}

TEST_SUITE_END();
