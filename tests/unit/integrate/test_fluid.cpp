// Molecular dynamics with a Lennard-Jones fluid: conservation, order, virial, corrections, state
// point.
#include <cmath>
#include <cstring>
#include <numbers>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/threads.hpp"
#include "examples/fluid/fluid.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("fluid");

namespace {

FluidOptions small_fluid(Precision precision = Precision::double_precision)
{
    FluidOptions options;
    options.n = 500;
    options.density = 0.82;
    options.cutoff = 3;
    options.switch_from = 2.5;
    options.device = "cpu";
    options.precision = precision;
    return options;
}

void melt(Fluid& fluid, int steps)
{
    for (int k = 1; k <= steps; ++k) {
        fluid.step();
        if (k % 10 == 0)
            fluid.rescale(fluid.kinetic_wanted());
    }
}

/// Returns the max energy change in a liquid over time 0.4.
double energy_change(double step)
{
    FluidOptions options = small_fluid();
    options.step = step;
    Fluid fluid(options);
    const double first = fluid.state().energy();
    double largest = 0;
    for (int k = 0; k < int(std::lround(0.4 / step)); ++k) {
        fluid.step();
        largest = std::max(largest, std::abs(fluid.state().energy() - first));
    }
    return largest;
}

} // namespace

TEST_CASE("a new fluid starts at its density and temperature without momentum")
{
    const Fluid fluid(small_fluid());
    CHECK(500 / std::pow(fluid.side(), 3) == doctest::Approx(0.82));
    CHECK(fluid.state().temperature == doctest::Approx(0.85));
    Vec3<double> momentum;
    double fourth = 0, second = 0;
    for (const Vec3<double>& v : fluid.velocities()) {
        momentum += v;
        second += v.x * v.x;
        fourth += v.x * v.x * v.x * v.x;
    }
    CHECK(norm(momentum) < 1e-10);
    CHECK(500 * fourth / (second * second) == doctest::Approx(3).epsilon(0.2)); // Gaussian
}

TEST_CASE("energy is conserved, four times better at half the step")
{
    const double coarse = energy_change(0.004), fine = energy_change(0.002);
    CHECK(coarse / fine == doctest::Approx(4).epsilon(0.2));
    for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
        Fluid fluid(small_fluid(precision));
        melt(fluid, 300);
        const double first = fluid.state().energy();
        for (int k = 0; k < 1000; ++k)
            fluid.step();
        CHECK(std::abs(fluid.state().energy() / first - 1) < 3e-5);
        Vec3<double> momentum;
        for (const Vec3<double>& v : fluid.velocities())
            momentum += v;
        CHECK(norm(momentum) < (precision == Precision::double_precision ? 1e-10 : 1e-3));
    }
}

TEST_CASE("the virial is minus the derivative of energy by box scale")
{
    Fluid fluid(small_fluid());
    melt(fluid, 100);
    LennardJonesFluid law;
    law.switching = Switching::between(2.5, 3);
    const auto energy_at = [&](double scale) {
        std::vector<Vec3<double>> positions = fluid.positions();
        for (Vec3<double>& x : positions)
            x = scale * x;
        double energy = 0; // nearest images, pair by pair
        const double side = scale * fluid.side();
        for (std::size_t i = 0; i < positions.size(); ++i)
            for (std::size_t j = i + 1; j < positions.size(); ++j) {
                Vec3<double> r = positions[j] - positions[i];
                for (double* x : {&r.x, &r.y, &r.z})
                    *x -= side * std::nearbyint(*x / side);
                LennardJonesFluid::Sum<double> pair{};
                law({}, {r}, pair);
                energy += pair.energy;
            }
        return energy;
    };
    const double h = 1e-4;
    const double virial = -(energy_at(1 + h) - energy_at(1 - h)) / (2 * h);
    const FluidState state = fluid.state();
    CHECK(state.potential == doctest::Approx(energy_at(1)).epsilon(1e-12));
    const double volume = std::pow(fluid.side(), 3);
    CHECK(state.pressure ==
          doctest::Approx((2 * state.kinetic + virial) / (3 * volume)).epsilon(1e-5));
}

TEST_CASE("the cut-off correction matches Allen and Tildesley for a sharp cut-off")
{
    LennardJonesFluid law;
    law.switching = Switching::between(3 - 1e-7, 3);
    const double x3 = 1 / 27.0;
    CHECK(long_range_energy(law, 3 - 1e-7, 3, 0.82) ==
          doctest::Approx(8.0 / 3 * std::numbers::pi * 0.82 * (x3 * x3 * x3 / 3 - x3))
              .epsilon(1e-6)); // Allen & Tildesley, eq. 2.139
    // The correction for the cut-off, computed independently with the midpoint rule in r^2.
    law.switching = Switching::between(2, 3);
    double missing = 0;
    const int intervals = 100000;
    for (int k = 0; k < intervals; ++k) {
        const double r2 = 4 + 5 * (k + 0.5) / intervals, t = (r2 - 4) / 5, x = std::pow(r2, -3);
        missing += 4 * (x * x - x) * t * t * t * (10 - 15 * t + 6 * t * t) * std::sqrt(r2) / 2 * 5 /
                   intervals;
    }
    CHECK(long_range_energy(law, 2, 3, 0.82) ==
          doctest::Approx(2 * std::numbers::pi * 0.82 * (missing + 4 * (x3 * x3 * x3 / 9 - x3 / 3)))
              .epsilon(1e-7));
}

TEST_CASE("fluid steps match bitwise for any number of threads")
{
    const int before = thread_count();
    std::vector<Vec3<double>> first;
    for (const int threads : {1, 3}) {
        use_threads(threads);
        Fluid fluid(small_fluid(Precision::single_precision));
        for (int k = 0; k < 50; ++k)
            fluid.step();
        if (first.empty())
            first = fluid.positions();
        CHECK(std::memcmp(first.data(), fluid.positions().data(), 500 * sizeof first[0]) == 0);
    }
    use_threads(before);
}

TEST_CASE("energy and pressure match NIST at a state point")
{
    // NIST Standard Reference Simulation Website, Lennard-Jones fluid, Monte Carlo at constant N, V
    // and T, 500 atoms, density 0.82: U = -5.7947, p = 0.55355 at T = 0.85, and -5.7456, 0.82386 at
    // 0.90. docs/howto/molecules.md tests a longer run to tighter limits.
    FluidOptions options = small_fluid(Precision::single_precision);
    options.cutoff = 4;
    options.switch_from = 3.5;
    options.step = 0.005;
    Fluid fluid(options);
    melt(fluid, 1000);
    double temperature = 0, potential = 0, pressure = 0;
    const int steps = 2500;
    for (int k = 0; k < steps; ++k) {
        fluid.step();
        const FluidState state = fluid.state();
        temperature += state.temperature / steps;
        potential += (state.potential / 500 + fluid.long_range_energy()) / steps;
        pressure += (state.pressure + 0.82 * fluid.long_range_energy()) / steps;
    }
    const double part = (temperature - 0.85) / 0.05;
    MESSAGE("T ", temperature, " U ", potential, " p ", pressure);
    CHECK(std::abs(temperature - 0.85) < 0.05);
    CHECK(std::abs(potential - (-5.7947 + part * 0.0491)) < 0.015);
    CHECK(std::abs(pressure - (0.55355 + part * 0.27031)) < 0.08);
}

TEST_CASE("invalid fluids are refused")
{
    FluidOptions options = small_fluid();
    options.n = 100;
    CHECK_THROWS_WITH_AS(Fluid{options}, doctest::Contains("twice the cutoff"), Error);
    options = small_fluid();
    options.switch_from = 3.5;
    CHECK_THROWS_WITH_AS(Fluid{options}, doctest::Contains("from < to"), Error);
    options = small_fluid();
    options.step = 5;
    Fluid fluid(options);
    CHECK_THROWS_WITH_AS(melt(fluid, 50), doctest::Contains("shorter step"), Error);
}
