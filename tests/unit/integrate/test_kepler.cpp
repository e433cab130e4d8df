// The leapfrog on a Kepler orbit: errors known to a few per cent, which change visibly if the
// scheme or the force is slightly wrong.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/few_bodies.hpp"
#include "tests/unit/kick_drift_kick.hpp"
#include "tests/unit/reference_solver.hpp"

using namespace chamomile;
using namespace chamomile::tests;
using tests::bodies;
using tests::orbit_energy;
using tests::PairOrbit;
using tests::pericenter_angle;
using tests::ReferenceSolver;
using tests::separation;

TEST_SUITE_BEGIN("kepler");

namespace {

using std::numbers::pi;

/// Possible errors in a step; defaults are correct.
struct Mistake {
    double first_kick = 0.5; ///< fraction of the first kick; the second gets the rest
    double G = 1, eps = 0;
};

struct Figures {
    double largest_energy_error = 0;
    double final_energy_error = 0;
    double phase_error = 0;      ///< per orbit, rad
    double pericenter_shift = 0; ///< per orbit, rad
    Particles end;
};

/// Ten orbits of n steps each.
Figures ten_orbits(const PairOrbit& orbit, int n, const Mistake& mistake = {})
{
    use_threads(1); // two bodies do not keep two threads busy
    ReferenceSolver solver({SofteningKind::plummer, mistake.eps}, mistake.G);
    Particles pair = bodies(orbit);
    const double start = orbit_energy(pair), dt = 2 * pi / n;
    Figures figures;
    solver.solve(pair, Quantities::acceleration, {});
    for (int step = 0; step < 10 * n; ++step) {
        kick(pair, (mistake.first_kick - 0.5) * dt);
        kick_drift_kick(pair, dt, [&] { solver.solve(pair, Quantities::acceleration, {}); });
        kick(pair, (0.5 - mistake.first_kick) * dt);
        figures.final_energy_error = orbit_energy(pair) / start - 1;
        figures.largest_energy_error =
            std::max(figures.largest_energy_error, std::abs(figures.final_energy_error));
    }
    const Vec3<double> x = separation(pair);
    figures.phase_error = std::atan2(x.y, x.x) / 10;
    figures.pericenter_shift = pericenter_angle(pair) / 10;
    figures.end = pair;
    return figures;
}

bool within(double value, double expected, double fraction)
{
    return std::abs(value - expected) <= fraction * std::abs(expected);
}

constexpr int steps[] = {100, 200, 400, 800};
/// Max |dE/E| of kick-drift-kick at e = 0.5 and e = 0, for these step numbers.
constexpr double eccentric_errors[] = {1.08e-2, 2.69e-3, 6.71e-4, 1.68e-4};
constexpr double circular_errors[] = {3.87e-6, 2.43e-7, 1.52e-8, 9.5e-10};

} // namespace

TEST_CASE("energy errors over ten orbits match published values")
{
    for (int k = 0; k < 4; ++k) {
        CAPTURE(steps[k]);
        CHECK(within(ten_orbits({.eccentricity = 0.5}, steps[k]).largest_energy_error,
                     eccentric_errors[k], 0.02));
        CHECK(within(ten_orbits({}, steps[k]).largest_energy_error, circular_errors[k], 0.02));
    }
    CHECK(within(ten_orbits({.eccentricity = 0.9}, 1600).largest_energy_error, 3.9e-2, 0.02));
}

TEST_CASE("the energy error reveals a wrong half step, G or softening")
{
    for (const Mistake& mistake :
         {Mistake{.first_kick = 0.505}, Mistake{.G = 1.01}, Mistake{.eps = 0.1}}) {
        CHECK_FALSE(within(ten_orbits({.eccentricity = 0.5}, 400, mistake).largest_energy_error,
                           eccentric_errors[2], 0.02));
        CHECK_FALSE(
            within(ten_orbits({}, 400, mistake).largest_energy_error, circular_errors[2], 0.02));
    }
}

TEST_CASE("the leapfrog converges with second order")
{
    const auto order = [](const Mistake& mistake) {
        return std::log2(ten_orbits({.eccentricity = 0.5}, 200, mistake).largest_energy_error /
                         ten_orbits({.eccentricity = 0.5}, 800, mistake).largest_energy_error) /
               2;
    };
    CHECK(std::abs(order({}) - 2) <= 0.1);
    CHECK_FALSE(std::abs(order({.first_kick = 0.51}) - 2) <= 0.1);
}

TEST_CASE("the phase of a circular orbit lags by (2 pi)^3 / 3 n^2")
{
    const auto lag = [](int n) { return -std::pow(2 * pi, 3) / (3.0 * n * n); };
    for (int n : steps) {
        CAPTURE(n);
        CHECK(within(ten_orbits({}, n).phase_error, lag(n), 0.002));
    }
    for (const Mistake& mistake : {Mistake{.G = 1.0001}, Mistake{.eps = 0.01}})
        CHECK_FALSE(within(ten_orbits({}, 400, mistake).phase_error, lag(400), 0.002));
}

TEST_CASE("pericenter shifts match published values and energy returns after each orbit")
{
    constexpr double shifts[] = {-1.46e-2, -3.58e-3, -9.45e-4, -2.42e-4};
    constexpr double final_errors[] = {0, -1.5e-3, -3.6e-5, -5.7e-7}; // unknown for the first
    for (int k = 0; k < 4; ++k) {
        const Figures figures = ten_orbits({.eccentricity = 0.5}, steps[k]);
        CAPTURE(steps[k]);
        CHECK(within(figures.pericenter_shift, shifts[k], 0.02));
        if (k > 0)
            CHECK(within(figures.final_energy_error, final_errors[k], 0.02));
    }
    const Figures wrong = ten_orbits({.eccentricity = 0.5}, 400, {.eps = 0.01});
    CHECK_FALSE(within(wrong.pericenter_shift, shifts[2], 0.02));
    CHECK_FALSE(within(wrong.final_energy_error, final_errors[2], 0.02));
}

TEST_CASE("ten orbits run backwards end at the start")
{
    const auto distance = [](const Mistake& mistake) {
        const PairOrbit orbit{.eccentricity = 0.5};
        ReferenceSolver solver;
        Particles pair = ten_orbits(orbit, 200).end;
        for (Vec3<double>& v : pair.velocity)
            v = -1.0 * v;
        const double dt = 2 * pi / 200;
        for (int step = 0; step < 2000; ++step) {
            kick(pair, (mistake.first_kick - 0.5) * dt);
            kick_drift_kick(pair, dt, [&] { solver.solve(pair, Quantities::acceleration, {}); });
            kick(pair, (0.5 - mistake.first_kick) * dt);
        }
        return norm(separation(pair) - separation(bodies(orbit)));
    };
    CHECK(distance({}) < 1e-11);
    CHECK_FALSE(distance({.first_kick = 0.5 + 1e-9}) < 1e-11);
}

TEST_CASE("unequal masses and a moving frame do not change the errors")
{
    const double error = ten_orbits({.eccentricity = 0.5}, 400).largest_energy_error;
    for (const PairOrbit& orbit :
         {PairOrbit{.eccentricity = 0.5, .mass_ratio = 1e-6},
          PairOrbit{.eccentricity = 0.5, .offset = {100, 0, 0}, .boost = {10, 0, 0}},
          PairOrbit{.eccentricity = 0.5, .offset = {0, 100, -50}, .boost = {0, 0, 10}}})
        CHECK(std::abs(ten_orbits(orbit, 400).largest_energy_error - error) < 1e-10);
    CHECK_FALSE(
        std::abs(ten_orbits({.eccentricity = 0.5}, 400, {.G = 1 + 1e-7}).largest_energy_error -
                 error) < 1e-10);
}

TEST_CASE("the time loop makes exactly the expected steps")
{
    const Figures expected = ten_orbits({.eccentricity = 0.5}, 200);
    ReferenceSolver solver;
    Particles pair = bodies({.eccentricity = 0.5});
    Simulation simulation(pair, solver, {.end_time = 20 * pi, .step = {.length = 2 * pi / 200}});
    simulation.run();
    CHECK(simulation.step() == 2000);
    CHECK(simulation.time() == 20 * pi);
    CHECK(pair.position[0] == expected.end.position[0]);
    CHECK(pair.velocity[1] == expected.end.velocity[1]);
}

TEST_SUITE_END();
