// The leapfrog in comoving coordinates: where the answer is known without a mesh or tree.
#include <cmath>
#include <complex>
#include <vector>

#include <doctest/doctest.h>

#include "core/error.hpp"
#include "cosmology/glass.hpp"
#include "cosmology/growth.hpp"
#include "cosmology/initial_conditions.hpp"
#include "integrate/comoving_clock.hpp"
#include "integrate/layzer_irvine.hpp"
#include "integrate/leapfrog.hpp"
#include "integrate/simulation.hpp"
#include "within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("comoving");

namespace {

constexpr Background matter{.omega_matter = 1, .omega_lambda = 0};

/// A solver by a formula, in units of H0 = 1.
class FormulaSolver : public Solver {
public:
    std::string device() const override { return "formula"; }
    const SolverOptions& options() const override { return options_; }
    void soften(double length) override { options_.softening.length = length; }

protected:
    explicit FormulaSolver(double box = 0)
    {
        options_.softening.length = 1;
        options_.periodic.box = box;
    }

private:
    SolverOptions options_;
};

/// Planes before they cross: g = 3/2 Omega_m (x - q) in comoving coordinates (Zel'dovich 1970).
class Planes final : public FormulaSolver {
public:
    Planes(std::vector<double> q, double omega_matter) : q_(std::move(q)), pull_(1.5 * omega_matter)
    {}
    ForceStatistics solve(Particles& particles, Quantities, std::span<const Index>) override
    {
        for (std::size_t i = 0; i < particles.size(); ++i)
            particles.acceleration[i] = {pull_ * (particles.position[i].x - q_[i]), 0, 0};
        return {};
    }

private:
    std::vector<double> q_;
    double pull_;
};

/// Particles on an n^3 lattice of the unit cube whose planes x have moved, one particle for each:
/// the forces of planes with n x n particles in line with each other, as Fourier series in y and z.
class LatticePlanes final : public FormulaSolver {
public:
    explicit LatticePlanes(int n) : FormulaSolver(1), n_(n) {}
    ForceStatistics solve(Particles& particles, Quantities, std::span<const Index>) override
    {
        for (int i = 0; i < n_; ++i) {
            double g = 0;
            for (int j = 0; j < n_; ++j)
                if (j != i)
                    g += pull(particles.position[std::size_t(i)].x -
                              particles.position[std::size_t(j)].x);
            particles.acceleration[std::size_t(i)] = {g, 0, 0};
        }
        return {};
    }

private:
    /// Of one plane at distance d; 4 pi G rho = 3/2, so that 2 pi G sigma = 3/4 / n.
    double pull(double d) const
    {
        d -= std::floor(d);
        double sum = 1 - 2 * d;
        for (int p = -30; p <= 30; ++p)
            for (int q = -30; q <= 30; ++q) {
                const double k = 2 * M_PI * n_ * std::hypot(p, q);
                if (k > 0 && k * std::min(d, 1 - d) < 40)
                    sum += (std::exp(-k * d) - std::exp(-k * (1 - d))) / (1 - std::exp(-k));
            }
        return -0.75 / n_ * sum;
    }

    int n_;
};

constexpr double k1 = 2 * M_PI; // of the wave in the unit cube

/// Zel'dovich's wave of n planes at a; it collapses at a_c.
Particles wave(int n, double a, double a_c)
{
    Particles particles;
    particles.resize(std::size_t(n));
    for (int i = 0; i < n; ++i) {
        const double q = double(i) / n, s = std::sin(k1 * q) / (k1 * a_c);
        particles.id[std::size_t(i)] = std::uint64_t(i) + 1;
        particles.mass[std::size_t(i)] = 1. / n;
        particles.position[std::size_t(i)] = {q - a * s, 0, 0};
        particles.velocity[std::size_t(i)] = {-std::pow(a, 1.5) * s, 0, 0};
    }
    return particles;
}

void evolve(Particles& particles, Solver& solver, const ComovingClock& clock, double from,
            double to, int steps)
{
    const double length = (std::log(to) - std::log(from)) / steps;
    Leapfrog leapfrog(solver, {.length = length}, clock);
    Simulation simulation(particles, leapfrog, std::log(from), std::log(to));
    simulation.run();
    CHECK(simulation.step() == std::uint64_t(steps));
    CHECK(simulation.stated_time() == within(1e-14, to));
}

} // namespace

TEST_CASE("a small wave grows by the leapfrog's own law: dD/D = -0.328 (d ln a)^2")
{
    const ComovingClock clock({.background = matter, .hubble_rate = 1});
    // The map of kicks and drifts of one linear mode, iterated apart from this program.
    const std::pair<int, double> exact[] = {{16, -1.925107516e-2},
                                            {32, -4.889934911e-3},
                                            {64, -1.227403528e-3},
                                            {128, -3.071599157e-4},
                                            {256, -7.680931783e-5}};
    for (const auto& row : exact) {
        const int steps = row.first;
        const double error = row.second;
        Particles particles = wave(64, 0.02, 1e6);
        std::vector<double> q(64);
        for (int i = 0; i < 64; ++i)
            q[std::size_t(i)] = i / 64.;
        Planes planes(q, 1);
        evolve(particles, planes, clock, 0.02, 1, steps);
        const double growth = (q[16] - particles.position[16].x) / (0.02 / (k1 * 1e6)) / 50;
        const double length = std::log(50) / steps;
        CAPTURE(steps);
        CHECK(growth - 1 == within(1e-4, error));
        CHECK(growth - 1 == within(steps == 16 ? 0.02 : 0.01, -0.328 * length * length));
    }
}

TEST_CASE("with Lambda it grows as D1")
{
    const Background background{.omega_matter = 0.3, .omega_lambda = 0.7};
    const ComovingClock clock({.background = background, .hubble_rate = 0.1}); // kpc/h, km/s
    const Growth start = growth(background, 0.02), end = growth(background, 1);
    const double amplitude = 1e-8, H = 0.1 * background.expansion(0.02);
    Particles particles;
    particles.resize(1);
    particles.position[0] = {-amplitude, 0, 0};
    particles.velocity[0] = {-0.02 * 0.02 * H * start.f1 * amplitude, 0, 0}; // p = a^2 dx/dt
    Planes planes({0}, 0.3 * 0.1 * 0.1);
    evolve(particles, planes, clock, 0.02, 1, 1024);
    CHECK(-particles.position[0].x / amplitude == within(1e-5, end.D1 / start.D1));
    CHECK(-particles.velocity[0].x / amplitude == within(1e-5, 0.1 * end.f1 * end.D1 / start.D1));
}

TEST_CASE("Zel'dovich's pancake on a lattice of 32^3 and 64^3, half way to its collapse")
{
    struct Row {
        int n, steps;
        double position, momentum; // largest errors, of the largest displacement and momentum
    };
    const ComovingClock clock({.background = matter, .hubble_rate = 1});
    for (const Row& row : {Row{32, 64, 4e-3, 8e-3}, Row{64, 64, 1e-3, 2e-3}}) {
        Particles particles = wave(row.n, 0.02, 2);
        LatticePlanes planes(row.n);
        evolve(particles, planes, clock, 0.02, 1, row.steps);
        const Particles exact = wave(row.n, 1, 2);
        double dx = 0, dp = 0;
        for (std::size_t i = 0; i < particles.size(); ++i) {
            CHECK(particles.position[i].x >= 0);
            CHECK(particles.position[i].x < 1);
            const Periodicity box{1};
            dx = std::max(dx, std::abs(box.nearest(particles.position[i].x - exact.position[i].x)));
            dp = std::max(dp, std::abs(particles.velocity[i].x - exact.velocity[i].x));
        }
        const double largest = 0.5 / k1;
        CAPTURE(dx / largest);
        CAPTURE(dp / largest);
        CHECK(dx < row.position * largest);
        CHECK(dp < row.momentum * largest);
    }
}

TEST_CASE("steps are those of physical times, within the largest d ln a")
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
    CHECK(adaptive_time_step(particles, {2}, step, clock, t) ==
          within(1e-13, 0.1 * std::pow(a, -1.5) * 0.3 * dt));
    particles.acceleration[1] = {0, -1, 0};
    CHECK(adaptive_time_step(particles, {2}, step, clock, t) == 0.02);
    particles.acceleration[1] = {};
    CHECK(adaptive_time_step(particles, {2}, step, clock, t) == 0.02);

    CHECK(clock.softening(t, 1) == 1);
    CHECK(clock.softening(t, 3) == within(1e-14, 2));
    CHECK(clock.softening(0, 3) == within(1e-14, 0.5));
    CHECK_THROWS_AS(ComovingClock({.hubble_rate = 0}), Error);
    CHECK_THROWS_AS(ComovingClock({.longest_step = -1}), Error);
    CHECK_THROWS_AS(ComovingClock({.physical_softening = -1}), Error);
}

TEST_CASE("a physical softening reaches the solver: the forces of each place are those of its time")
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
            const double eps = std::min(0.1, 0.01 / now.stated_time());
            CHECK(solver->options().softening.length == within(1e-12, eps));
            SolverOptions then = options;
            then.softening.length = solver->options().softening.length;
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

/// Tree and mesh as a run has them, with particles of 16^3.
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
        options.periodic.box = side;
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

/// The sum of |delta_k|^2 of the longest waves.
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

TEST_CASE("with tree and mesh the longest waves grow as D1, and the energy is Layzer and Irvine's")
{
    Universe box(200);
    Particles particles = start(box.side, 49);
    const double before = large_scale_power(particles, box.side);
    LayzerIrvine cosmic;
    Simulation simulation(particles, box.leapfrog, std::log(0.02), 0);
    double largest = 0;
    simulation.every_steps(10, Quantities::acceleration_potential, [&](Simulation& now) {
        cosmic.add(now.stated_time(), now.diagnostics());
        // At first the fluctuations' W is a hundredth of the lattice's, whose error counts.
        if (now.stated_time() > 0.1)
            largest = std::max(largest, std::abs(cosmic.residue()));
    });
    simulation.at_times({std::log(0.1)}, Quantities::acceleration, [&](Simulation& now) {
        if (std::abs(now.stated_time() - 0.1) > 1e-9)
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

TEST_CASE("a lattice stays where it is, a glass nearly")
{
    for (bool glass : {false, true}) {
        Universe box(100);
        Particles particles = start(box.side, 49);
        const std::vector<Vec3<double>> places = tiled_glass(8, 2, box.side);
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

TEST_CASE("Layzer and Irvine's sum: waves of linear theory leave nothing, a lost part is seen")
{
    for (double wrong : {0.0, 0.1}) {
        LayzerIrvine cosmic;
        for (double a = 0.02; a < 0.5; a *= 1.3) {
            // K grows as a, W = -3/2 K; momenta are a times peculiar velocities, potentials a
            // times.
            Diagnostics now;
            now.kinetic = 7 * a * a * a;
            now.potential =
                -1.5 * 7 * a * a * (a > 0.1 ? 1 + wrong : 1) + 1000; // the lattice's own
            cosmic.add(a, now);
        }
        CHECK(cosmic.residue() ==
              (wrong > 0 ? within(0.1, -wrong / (1 + wrong)) : doctest::Approx(0).epsilon(1e-10)));
    }
}
