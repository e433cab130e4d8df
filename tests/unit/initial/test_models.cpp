// Spheres, cube and two bodies against values required by the models.
#include <numbers>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/initial/models/exponential_disk.hpp"
#include "chamomile/initial/models/kepler.hpp"
#include "chamomile/initial/models/merger.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/initial/models/self_energy.hpp"
#include "chamomile/initial/models/spheres.hpp"
#include "chamomile/initial/models/uniform.hpp"
#include "tests/unit/model_checks.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("models");

namespace {

/// Returns the max |component| of the barycenter's position and velocity.
double off_center(const Particles& particles)
{
    const Vec3<double> r = mean_of(particles, particles.position);
    const Vec3<double> v = mean_of(particles, particles.velocity);
    return std::max(
        {std::abs(r.x), std::abs(r.y), std::abs(r.z), std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}

/// Checks a radius against its limit for N -> infinity within 4 standard errors of an order
/// statistic, sqrt(p (1 - p) / N) times the slope dr/dp.
void check_radius(const std::vector<double>& radii, double fraction, double expected, double slope)
{
    CAPTURE(fraction);
    const double error = std::sqrt(fraction * (1 - fraction) / double(radii.size())) * slope;
    CHECK(std::abs(radius_of_fraction(radii, fraction) - expected) < 4 * error);
}

/// Hernquist's (1990) distribution function, eq. 17, with G = M = a = 1.
double hernquist_distribution(double energy)
{
    const double q2 = energy, q = std::sqrt(q2), w = 1 - q2, pi = std::numbers::pi;
    const double bracket =
        3 * std::asin(q) + q * std::sqrt(w) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3);
    return bracket / (8 * std::numbers::sqrt2 * pi * pi * pi * w * w * std::sqrt(w));
}

} // namespace

TEST_CASE("Philox returns the published random numbers")
{
    // Known answers from the Random123 distribution (Salmon et al. 2011).
    using Words = std::array<std::uint32_t, 4>;
    CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
          Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("Plummer: exact energies, barycenter at rest, truncation radius")
{
    for (std::uint64_t n : {2, 3, 597, 2048}) {
        CAPTURE(n);
        const Snapshot snapshot = make_plummer({.particles = n, .seed = 3});
        const Energies energies = energies_of(snapshot.particles);
        CHECK(energies.kinetic == within(1e-12, 0.25));
        CHECK(energies.potential == within(1e-12, -0.5));
        CHECK(off_center(snapshot.particles) < 1e-14);
        CHECK(snapshot.G() == 1);
    }
    const Particles one = make_plummer({.particles = 1}).particles;
    CHECK(norm(one.position[0]) == 0);
}

TEST_CASE("Plummer: Lagrangian radii, largest radius and central dispersion")
{
    const std::uint64_t n = 1000003;
    const Snapshot snapshot = make_plummer({.particles = n, .exact_energy_limit = 0});
    const std::vector<double> radii = sorted_radii(snapshot.particles);
    const double a = 3 * std::numbers::pi / 16;
    const double expected[][2] = {{0.01, 0.12995858525201},  {0.10, 0.308678009047702},
                                  {0.25, 0.477806341640549}, {0.50, 0.768570630659784},
                                  {0.75, 1.28110448598456},  {0.90, 2.18366968373094}};
    // The sphere cut at 22.8 a holds 0.9971 of the infinite mass. Rescaled to E = -1/4, its lengths
    // in units of the infinite sphere's are `length`, found from the median and near 1.
    const double inside = std::pow(22.8 * 22.8 / (22.8 * 22.8 + 1), 1.5);
    const double length = radius_of_fraction(radii, 0.5 / inside) / 0.768570630659784;
    CHECK(length == within(0.006, 1));
    for (const auto& [fraction, radius] : expected) {
        const double u = radius / a;
        const double slope = a * std::pow(1 + u * u, 2.5) / (3 * u * u);
        check_radius(radii, fraction / inside, length * radius, 1.5 * slope);
    }
    CHECK(radii.back() < 22.8 * a * 1.01);
    CHECK(radii.back() > 15 * a);
    // Speeds: q^2 = v^2 / v_escape^2 has mean 1/4 everywhere and mean square 5/56, because q^2 (1 -
    // q^2)^(7/2) makes q^2 a beta variate with 3/2 and 9/2. The central dispersion is then 1 / (6
    // a).
    double mean = 0, mean_square = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double r = norm(snapshot.particles.position[i]);
        const double q2 =
            norm_squared(snapshot.particles.velocity[i]) * std::sqrt(r * r + a * a) / 2;
        mean += q2 / double(n);
        mean_square += q2 * q2 / double(n);
    }
    CHECK(mean == within(0.01, 0.25));
    CHECK(mean_square / (mean * mean) == within(0.003, 10.0 / 7));
}

TEST_CASE("the shell energy matches the pair energy to a few parts in N")
{
    Particles sphere = make_plummer({.particles = 12007, .seed = 5}).particles;
    const double exact = pair_energy(sphere);
    CHECK(exact == within(1e-13, -0.5));
    CHECK(shell_energy(sphere) == within(8.0 / 12007, exact));
    CHECK(shell_energy(sphere) != exact);
}

TEST_CASE("Hernquist: Lagrangian radii and energies match the truncated model")
{
    const std::uint64_t n = 100003;
    const Snapshot snapshot = make_sphere(SphereKind::hernquist, n, 2);
    const std::vector<double> radii = sorted_radii(snapshot.particles);
    const double inside = std::pow(100.0 / 101, 2);
    for (double fraction : {0.01, 0.1, 0.25, 0.5, 0.75, 0.9}) {
        const double s = std::sqrt(fraction);
        check_radius(radii, fraction / inside, s / (1 - s), 0.5 / (s * (1 - s) * (1 - s)));
    }
    CHECK(radii.back() < 100.1);
    // Hernquist (1990): sigma_r^2 in the middle of the model, at r = 1: 12 r (1+r)^3 ln((1+r)/r)
    // ...
    double square = 0, count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double r = norm(snapshot.particles.position[i]);
        if (r > 0.9 && r < 1.1) {
            square += norm_squared(snapshot.particles.velocity[i]) / 3;
            ++count;
        }
    }
    const double r = 1;
    const double expected = (12 * r * std::pow(1 + r, 3) * std::log((1 + r) / r) -
                             r / (1 + r) * (25 + 52 * r + 42 * r * r + 12 * r * r * r)) /
                            12; // eq. 10
    CHECK(square / count == within(4 * std::sqrt(2 / (3 * count)), expected));
    const Energies energies = energies_of(make_sphere(SphereKind::hernquist, 6007).particles);
    CHECK(-energies.kinetic / energies.potential == within(0.05, 0.5));
    CHECK(off_center(snapshot.particles) < 1e-12);
}

TEST_CASE("NFW: Lagrangian radii, mass beyond the virial radius and equilibrium match theory")
{
    const std::uint64_t n = 100003;
    const Snapshot snapshot = make_sphere(SphereKind::nfw, n, 4);
    const std::vector<double> radii = sorted_radii(snapshot.particles);
    const double c = 10, all = snapshot.particles.mass[0] * double(n);
    const double integral = std::log(1 + c) - c / (1 + c);
    // Radii of 10, 50 and 90 % of the mass within r = c; particle fractions include the mass in the
    // cut beyond.
    const double expected[][2] = {
        {0.1, 0.822396644903}, {0.5, 3.60561324617}, {0.9, 8.32485748679}, {1, 10}};
    for (const auto& [fraction, r] : expected)
        check_radius(radii, fraction / all, r, all * integral * (1 + r) * (1 + r) / r);
    // The cut: int_1^inf x^(p+2) exp(-10 (x-1)) dx of the density at the edge, p = 10 - 31/11.
    double beyond = 0;
    const double p = 10 - 31.0 / 11, step = 1e-4;
    for (double x = 1 + 0.5 * step; x < 4; x += step)
        beyond += step * std::pow(x, p + 2) * std::exp(-10 * (x - 1));
    beyond *= c * c / ((1 + c) * (1 + c)) / integral; // 4 pi c^3 rho(c)
    CHECK(all == within(1e-4, 1 + beyond));
    // The isolated model in equilibrium: kinetic energy is half the potential energy. Jeans'
    // equation gives the dispersion at r = 1, rho sigma^2 = int rho M / r^2 dr, mostly from inside
    // c.
    const Energies energies = energies_of(make_sphere(SphereKind::nfw, 12007).particles);
    CHECK(-energies.kinetic / energies.potential == within(0.03, 0.5));
    double square = 0, count = 0, pressure = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double r = norm(snapshot.particles.position[i]);
        if (r > 0.9 && r < 1.1) {
            square += norm_squared(snapshot.particles.velocity[i]) / 3;
            ++count;
        }
    }
    for (double r = 1 + 0.5 * step; r < c; r += step)
        pressure += step * (std::log(1 + r) - r / (1 + r)) / (r * r * r * (1 + r) * (1 + r));
    CHECK(square / count == within(4 * std::sqrt(2 / (3 * count)), 4 * pressure / integral));
    CHECK(off_center(snapshot.particles) < 1e-12);
}

TEST_CASE("Eddington inversion reproduces the exact Hernquist distribution function")
{
    const SphereProfile profile{.kind = SphereKind::hernquist};
    const std::vector<double> radii = table_radii({profile});
    const DensityTable density = density_table(profile, radii);
    const SphericalPotential potential(radii, enclosed_mass(radii, density.density));
    const EquilibriumSphere sphere(potential, density, {.name = "sphere"});
    for (double energy : {0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97})
        CHECK(sphere.distribution(energy) == within(5e-4, hernquist_distribution(energy)));
    CHECK(potential.psi(1) == within(1e-4, 0.5));
}

TEST_CASE("cold sphere and cube are uniform and at rest")
{
    const Particles sphere = make_cold_sphere({.particles = 5003, .seed = 4}).particles;
    const std::vector<double> radii = sorted_radii(sphere);
    for (double fraction : {0.1, 0.5, 0.9})
        check_radius(radii, fraction, std::cbrt(fraction), std::pow(fraction, -2.0 / 3) / 3);
    const Energies energies = energies_of(sphere);
    CHECK(energies.kinetic == 0);
    CHECK(energies.potential == within(0.01, -0.6));
    CHECK(off_center(sphere) < 1e-15);

    const Particles cube = make_cube({.particles = 30011, .seed = 4}).particles;
    Vec3<double> square;
    for (const Vec3<double>& r : cube.position) {
        CHECK(std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z)}) < 0.5);
        square += (1.0 / 30011) * Vec3<double>{r.x * r.x, r.y * r.y, r.z * r.z};
    }
    for (double mean : {square.x, square.y, square.z}) // 1/12 with variance 1/180
        CHECK(mean == within(12 * 4 * std::sqrt(1.0 / 180 / 30011), 1.0 / 12));
}

TEST_CASE("two bodies: energy, pericenter and angular momentum match the orbit")
{
    const double a = 1.7, e = 0.6, q = 0.25;
    const Snapshot snapshot = make_two_body({a, e, q});
    const Particles& bodies = snapshot.particles;
    CHECK(bodies.mass[1] / bodies.mass[0] == within(1e-15, q));
    CHECK(energies_of(bodies).total() == within(1e-14, -bodies.mass[0] * bodies.mass[1] / (2 * a)));
    const Vec3<double> r = bodies.position[1] - bodies.position[0];
    const Vec3<double> v = bodies.velocity[1] - bodies.velocity[0];
    CHECK(norm(r) == within(1e-15, a * (1 - e)));
    CHECK(std::abs(dot(r, v)) < 1e-15);
    CHECK(cross(r, v).z == within(1e-15, std::sqrt(a * (1 - e * e))));
    CHECK(off_center(bodies) < 1e-16);
}

TEST_CASE("orbits before pericenter match the energy and angular momentum of the elements")
{
    for (double e : {0.0, 0.5, 1.0, 2.0}) {
        CAPTURE(e);
        const double rp = 0.7, distance = e == 0 ? rp : 1.9;
        const RelativeOrbit orbit = orbit_before_pericenter(3, e, rp, distance);
        CHECK(norm(orbit.position) == within(1e-14, distance));
        CHECK(norm_squared(orbit.velocity) / 2 ==
              within(1e-13, 3 / distance - 3 * (1 - e) / (2 * rp)));
        CHECK(cross(orbit.position, orbit.velocity).z ==
              within(1e-14, std::sqrt(3 * rp * (1 + e))));
        CHECK(dot(orbit.position, orbit.velocity) <= 0);
    }
    CHECK_THROWS_AS(orbit_before_pericenter(1, 0.5, 1, 3.1), Error);
    CHECK_THROWS_AS(orbit_before_pericenter(1, 1, 1, 0.9), Error);
}

TEST_CASE("models with equal seeds match bitwise for any number of threads")
{
    const auto models = [](std::uint64_t seed) {
        return std::vector<Snapshot>{make_plummer({.particles = 1999, .seed = seed}),
                                     make_sphere(SphereKind::hernquist, 1999, seed),
                                     make_sphere(SphereKind::nfw, 1999, seed),
                                     make_cold_sphere({1999, seed}),
                                     make_cube({1999, seed}),
                                     make_thin_disk({.particles = 1999, .seed = seed}),
                                     make_galaxy({.particles = 1999, .seed = seed}),
                                     make_merger({.galaxy = {.particles = 1999, .seed = seed}})};
    };
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto alone = models(7);
    omp_set_num_threads(2);
    const auto together = models(7), others = models(8);
    omp_set_num_threads(threads);
    for (std::size_t k = 0; k < alone.size(); ++k) {
        CAPTURE(alone[k].provenance.at("model"));
        CHECK(same_bytes(alone[k].particles, together[k].particles));
        CHECK(!same_bytes(alone[k].particles, others[k].particles));
    }
}

TEST_CASE("models without particles or with invalid lengths are refused")
{
    CHECK_THROWS_AS(make_plummer({.particles = 0}), Error);
    CHECK_THROWS_AS(make_plummer({.truncation = 0}), Error);
    CHECK_THROWS_AS(make_sphere(SphereKind::hernquist, 0), Error);
    CHECK_THROWS_AS(make_sphere(SphereKind::nfw, 0), Error);
    CHECK_THROWS_AS(make_spheres({.spheres = {{.kind = SphereKind::nfw, .concentration = 0.5}}}),
                    Error);
    CHECK_THROWS_AS(
        make_spheres({.spheres = {{.kind = SphereKind::nfw, .concentration = std::nan("")}}}),
        Error);
    CHECK_THROWS_AS(make_cold_sphere({.particles = 0}), Error);
    CHECK_THROWS_AS(make_cube({.particles = 0}), Error);
    CHECK_THROWS_AS(make_thin_disk({.particles = 100, .height = -1}), Error);
    CHECK_THROWS_AS(make_thin_disk({.particles = 100, .truncation = 1e-6}), Error);
    CHECK_THROWS_AS(make_spheres({.spheres = {{.truncation = 1e-9}}}), Error);
    CHECK(make_galaxy({.particles = 200, .toomre_q = 1e6}).particles.size() == 200); // ends
    CHECK_THROWS_AS(make_two_body({1, 1.0, 1}), Error);
    CHECK_THROWS_AS(make_galaxy({.particles = 99}), Error);
    CHECK_THROWS_AS(make_galaxy({.disk_scale = std::nan("")}), Error);
    CHECK_THROWS_AS(make_merger({.galaxy = {}, .mass_ratio = -1}), Error);
    CHECK_THROWS_AS(make_merger({.galaxy = {}, .pericenter = 30}), Error);
}

TEST_SUITE_END();
