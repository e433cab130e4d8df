// The leapfrog in comoving coordinates: steps, softening, growth with tree and mesh, energy.
#include <cmath>
#include <complex>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/cosmology/growth.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/initial/cosmology/glass.hpp"
#include "chamomile/initial/cosmology/initial_conditions.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/measures/layzer_irvine.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("comoving");

namespace {

constexpr Background matter{.omega_matter = 1, .omega_lambda = 0};

} // namespace

TEST_CASE("comoving steps follow physical time scales below the maximum d ln a")
{
    const ComovingClock clock({.background = matter,
                               .hubble_rate = 0.1,
                               .longest_step = 0.02,
                               .physical_softening = 0.5});
    const double a = 0.25, t = std::log(a);
    Particles particles;
    particles.resize(2);
    particles.acceleration[1] = {0, -1e4, 0};
    // Physical: length a eps, acceleration g / a^2; d ln a = H dt, H = H0 a^-1.5.
    const double dt = std::sqrt(a * 2 / (1e4 / (a * a)));
    const TimeStep step{.kind = TimeStepKind::adaptive, .eta = 0.3};
    CHECK(adaptive_time_step(shortest_time(particles, {2}), step, clock, t) ==
          within(1e-13, 0.1 * std::pow(a, -1.5) * 0.3 * dt));
    particles.acceleration[1] = {0, -1, 0};
    CHECK(adaptive_time_step(shortest_time(particles, {2}), step, clock, t) == 0.02);
    particles.acceleration[1] = {};
    CHECK(adaptive_time_step(shortest_time(particles, {2}), step, clock, t) == 0.02);

    CHECK(clock.softening(t, 1) == 1);
    CHECK(clock.softening(t, 3) == within(1e-14, 2));
    CHECK(clock.softening(0, 3) == within(1e-14, 0.5));
    CHECK_THROWS_AS(ComovingClock({.hubble_rate = 0}), Error);
    CHECK_THROWS_AS(ComovingClock({.longest_step = -1}), Error);
    CHECK_THROWS_AS(ComovingClock({.physical_softening = -1}), Error);
}

TEST_CASE("physical softening reaches the solver at the current scale factor")
{
    for (SolverKind kind : {SolverKind::tree, SolverKind::direct}) {
        const ComovingClock clock(
            {.background = matter, .hubble_rate = 1, .physical_softening = 0.01});
        Particles particles;
        particles.resize(3);
        for (std::size_t i = 0; i < 3; ++i) {
            particles.id[i] = i + 1;
            particles.mass[i] = 1e-3;
            particles.position[i] = {0.01 * double(i), 0.02 * double(i * i), 0};
        }
        SolverOptions options;
        options.solver = kind;
        options.softening = {SofteningKind::plummer, 0.1};
        options.device = "cpu";
        const auto solver = make_solver(options);
        Leapfrog leapfrog(*solver, {.length = 0.1}, clock);
        Simulation simulation(particles, leapfrog, std::log(0.05), 0);
        simulation.every_steps(1, Quantities::acceleration, [&](Simulation& now) {
            const double eps = std::min(0.1, 0.01 / now.file_time());
            CHECK(now.softening_length() == within(1e-12, eps));
            SolverOptions then = options;
            then.softening.length = now.softening_length();
            Particles copy = now.particles();
            make_solver(then)->solve(copy, Quantities::acceleration);
            for (std::size_t i = 0; i < 3; ++i)
                CHECK(norm(copy.acceleration[i] - now.particles().acceleration[i]) <=
                      1e-6 * norm(copy.acceleration[i]));
        });
        simulation.run();
        CHECK(simulation.step() > 20);
    }
}

namespace {

constexpr double G = 43.0071; // Mpc, 1e10 Msun, km/s
constexpr Background flat{.omega_matter = 0.3, .omega_lambda = 0.7, .hubble = 0.7};

/// Tree and mesh as in a run, with 16^3 particles.
struct Universe {
    double side;
    SolverOptions options;
    std::unique_ptr<Solver> solver;
    ComovingClock clock{{.background = flat, .hubble_rate = 100}};
    Leapfrog leapfrog;

    explicit Universe(double side_)
        : side(side_), options(options_of(side_)), solver(make_solver(options)),
          leapfrog(*solver, {.kind = TimeStepKind::adaptive, .eta = 0.2}, clock)
    {}
    static SolverOptions options_of(double side)
    {
        SolverOptions options;
        options.softening = {SofteningKind::plummer, side / 16 / 30};
        options.gravitational_constant = G;
        options.box = side;
        options.device = "cpu";
        return options;
    }
};

Particles start(double side, double redshift)
{
    InitialConditionsOptions options;
    options.power.background = flat;
    options.side = side;
    options.particles = 16;
    options.redshift = redshift;
    Particles particles = make_initial_conditions(options, G);
    for (Vec3<double>& v : particles.velocity)
        v = scale_factor_of(redshift) * v;
    return particles;
}

/// Returns the sum of |delta_k|^2 over the longest waves.
double large_scale_power(const Particles& particles, double side)
{
    double power = 0;
    for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
            for (int k = -1; k <= 1; ++k) {
                if (i == 0 && j == 0 && k == 0)
                    continue;
                std::complex<double> sum = 0;
                for (const Vec3<double>& x : particles.position)
                    sum += std::polar(1., -2 * M_PI / side * (i * x.x + j * x.y + k * x.z));
                power += std::norm(sum / double(particles.size()));
            }
    return power;
}

} // namespace

TEST_CASE("tree and mesh: long waves grow as D1, energy obeys Layzer-Irvine")
{
    Universe box(200);
    Particles particles = start(box.side, 49);
    const double before = large_scale_power(particles, box.side);
    LayzerIrvine cosmic;
    Simulation simulation(particles, box.leapfrog, std::log(0.02), 0);
    double largest = 0;
    simulation.every_steps(10, Quantities::acceleration_potential, [&](Simulation& now) {
        cosmic.add(now.file_time(), now.diagnostics());
        // Initially W of the fluctuations is a hundredth of the lattice's W, so the lattice's error
        // matters.
        if (now.file_time() > 0.1)
            largest = std::max(largest, std::abs(cosmic.residue()));
    });
    simulation.at_times({std::log(0.1)}, Quantities::acceleration, [&](Simulation& now) {
        if (std::abs(now.file_time() - 0.1) > 1e-9)
            return;
        const double grown = std::sqrt(large_scale_power(now.particles(), box.side) / before);
        CHECK(grown == within(0.01, growth(flat, 0.1).D1 / growth(flat, 0.02).D1));
    });
    simulation.run();
    const double grown = std::sqrt(large_scale_power(particles, box.side) / before);
    CAPTURE(grown);
    CHECK(grown == within(0.03, growth(flat, 1).D1 / growth(flat, 0.02).D1));
    CAPTURE(largest);
    CHECK(largest < 0.01);
    CHECK(cosmic.kinetic() > 0);
    CHECK(cosmic.potential() < 0);
    Vec3<double> momentum;
    double size = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        momentum += particles.velocity[i];
        size += norm(particles.velocity[i]);
    }
    CHECK(norm(momentum) < 1e-3 * size);
}

TEST_CASE("a lattice stays at rest, a glass nearly")
{
    for (bool glass : {false, true}) {
        Universe box(100);
        Particles particles = start(box.side, 49);
        const std::vector<Vec3<double>> places =
            tiled_glass(make_glass(8), 2, box.side, 0, 16 * 16 * 16);
        for (std::size_t p = 0; p < 4096; ++p) {
            particles.velocity[p] = {};
            particles.position[p] =
                glass ? places[p]
                      : 6.25 * Vec3<double>{double(p / 256), double(p / 16 % 16), double(p % 16)};
        }
        const std::vector<Vec3<double>> before = particles.position;
        Simulation simulation(particles, box.leapfrog, std::log(0.02), std::log(0.02) + 1);
        simulation.run();
        double sum = 0;
        for (std::size_t p = 0; p < 4096; ++p)
            sum += norm_squared(Periodicity{box.side}.nearest(particles.position[p] - before[p]));
        const double moved = std::sqrt(sum / 4096) / 6.25;
        CAPTURE(glass);
        CAPTURE(moved);
        CHECK(moved < (glass ? 0.05 : 1e-4));
    }
}

TEST_CASE("the Layzer-Irvine sum vanishes for linear waves and detects missing energy")
{
    for (double wrong : {0.0, 0.1}) {
        LayzerIrvine cosmic;
        for (double a = 0.02; a < 0.5; a *= 1.3) {
            // K grows as a, W = -3/2 K; momenta are a times peculiar velocities, potentials a
            // times.
            Diagnostics now;
            now.kinetic = 7 * a * a * a;
            now.potential = -1.5 * 7 * a * a * (a > 0.1 ? 1 + wrong : 1) + 1000; // lattice W
            cosmic.add(a, now);
        }
        CHECK(cosmic.residue() ==
              (wrong > 0 ? within(0.1, -wrong / (1 + wrong)) : doctest::Approx(0).epsilon(1e-10)));
    }
}
