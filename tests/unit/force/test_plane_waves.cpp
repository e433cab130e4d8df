// The leapfrog in comoving coordinates on plane waves with known motion.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/cosmology/growth.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("plane_waves");

namespace {

constexpr Background matter{.omega_matter = 1, .omega_lambda = 0};

/// A solver by a formula, in units of H0 = 1.
class FormulaSolver : public Solver {
public:
    std::string device() const override { return "formula"; }
    const SolverOptions& options() const override { return options_; }

protected:
    explicit FormulaSolver(double box = 0)
    {
        options_.softening.length = 1;
        options_.box = box;
    }

private:
    SolverOptions options_;
};

/// Planes before they cross: g = 3/2 Omega_m (x - q) in comoving coordinates (Zel'dovich 1970).
class Planes final : public FormulaSolver {
public:
    Planes(std::vector<double> q, double omega_matter) : q_(std::move(q)), pull_(1.5 * omega_matter)
    {}
    ForceStatistics evaluate(const Request& request) override
    {
        for (std::size_t i = 0; i < request.count; ++i)
            request.acceleration.store_vector(i,
                                              {pull_ * (request.position.load(i) - q_[i]), 0, 0});
        return {};
    }

private:
    std::vector<double> q_;
    double pull_;
};

/// Particles on an n^3 lattice in the unit cube, with displaced x planes, one particle per plane:
/// forces from planes with n x n aligned particles, as Fourier series in y and z.
class LatticePlanes final : public FormulaSolver {
public:
    explicit LatticePlanes(int n) : FormulaSolver(1), n_(n) {}
    ForceStatistics evaluate(const Request& request) override
    {
        for (int i = 0; i < n_; ++i) {
            double g = 0;
            for (int j = 0; j < n_; ++j)
                if (j != i)
                    g += pull(request.position.load(std::size_t(i)) -
                              request.position.load(std::size_t(j)));
            request.acceleration.store_vector(std::size_t(i), {g, 0, 0});
        }
        return {};
    }

private:
    /// Force of one plane at distance d; 4 pi G rho = 3/2, so 2 pi G sigma = 3/4 / n.
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

constexpr double k1 = 2 * M_PI; // wave in the unit cube

/// Returns Zel'dovich's wave of n planes at a; it collapses at a_c.
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
    CHECK(simulation.file_time() == within(1e-14, to));
}

} // namespace

TEST_CASE("a small wave grows with the leapfrog's error dD/D = -0.328 (d ln a)^2")
{
    const ComovingClock clock({.background = matter, .hubble_rate = 1});
    // The map of kicks and drifts for one linear mode, iterated independently.
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

TEST_CASE("with Lambda a small wave grows as D1")
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

TEST_CASE("Zel'dovich's pancake on 32^3 and 64^3 lattices matches theory half way to collapse")
{
    struct Row {
        int n, steps;
        double position, momentum; // max errors relative to max displacement and momentum
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

TEST_CASE("tree and mesh reproduce Zel'dovich's pancake")
{
    constexpr int n = 32, steps = 64;
    const auto lattice = [&](double a) {
        const Particles planes = wave(n, a, 2);
        Particles particles;
        particles.resize(n * n * n);
        for (std::size_t i = 0; i < particles.size(); ++i) {
            const std::size_t plane = i / (n * n);
            particles.mass[i] = 1. / (n * n * n);
            particles.position[i] = {planes.position[plane].x, (double(i / n % n) + 0.5) / n,
                                     (double(i % n) + 0.5) / n};
            particles.velocity[i] = planes.velocity[plane];
        }
        return particles;
    };
    const ComovingClock clock({.background = matter, .hubble_rate = 1});
    const Periodicity box{1};
    const double largest = 0.5 / k1;
    struct Row {
        double cut, tolerance, position, momentum, sideways;
    };
    for (const Row& row : {Row{5, 1e-3, 4e-3, 8e-3, 2e-3}, Row{6.5, 3e-4, 3e-3, 7e-3, 5e-4}}) {
        SolverOptions options;
        options.device = "cpu";
        options.softening.length = 1e-4;
        options.gravitational_constant = 3 / (8 * M_PI); // 4 pi G rho = 3/2
        options.box = 1;
        options.periodic.cut = row.cut;
        options.tolerance = row.tolerance;
        Particles particles = lattice(0.02);
        for (Vec3<double>& x : particles.position)
            x = box.wrapped(x);
        evolve(particles, *make_solver(options), clock, 0.02, 1, steps);
        const Particles exact = lattice(1);
        double dx = 0, dp = 0, sideways = 0;
        for (std::size_t i = 0; i < particles.size(); ++i) {
            const Vec3<double> d = box.nearest(particles.position[i] - exact.position[i]);
            dx = std::max(dx, std::abs(d.x));
            dp = std::max(dp, std::abs(particles.velocity[i].x - exact.velocity[i].x));
            sideways = std::max({sideways, std::abs(d.y), std::abs(d.z)});
        }
        MESSAGE("cut " << row.cut << ", tolerance " << row.tolerance << ": x " << dx / largest
                       << ", p " << dp / largest << ", sideways " << sideways / largest);
        CHECK(dx < row.position * largest);
        CHECK(dp < row.momentum * largest);
        CHECK(sideways < row.sideways * largest);
    }
}

TEST_SUITE_END();
