// Energies, momenta, centres and radii against values that are known.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/ordered_sum.hpp"
#include "tests/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("diagnostics");

namespace {

/// Particles of equal mass at the radii at which a sphere of unit total mass holds (i + 1/2)/n of
/// it, in directions spread evenly.
Particles shells(std::size_t n, const Vec3<double>& center, double (*radius)(double))
{
    Particles particles;
    particles.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double r = radius((double(i) + 0.5) / double(n));
        const double z = 1 - 2 * std::fmod(0.5 + 0.7548776662466927 * double(i), 1.0);
        const double phi = 2 * M_PI * std::fmod(0.5698402909980532 * double(i), 1.0);
        const double s = std::sqrt(1 - z * z);
        particles.mass[i] = 1 / double(n);
        particles.position[i] = center + r * Vec3<double>{s * std::cos(phi), s * std::sin(phi), z};
    }
    return particles;
}

/// Plummer sphere of scale length 1.
double plummer_radius(double mass)
{
    return 1 / std::sqrt(std::pow(mass, -2.0 / 3) - 1);
}

} // namespace

TEST_CASE("two bodies by hand")
{
    Particles pair;
    pair.resize(2);
    pair.mass = {1, 3};
    pair.position = {{1, 0, 0}, {0, 2, 0}};
    pair.velocity = {{0, 1, 0}, {0, 0, 2}};
    pair.potential = {-6, -2}; // of a pair energy of -6
    const Diagnostics result = diagnose(pair);
    CHECK(result.mass == 4);
    CHECK(result.kinetic == 6.5);
    CHECK(result.potential == -6);
    CHECK(result.energy() == 0.5);
    CHECK(result.momentum == Vec3<double>{0, 1, 6});
    CHECK(result.angular_momentum == Vec3<double>{12, 0, 1});
    CHECK(result.center_of_mass == Vec3<double>{0.25, 1.5, 0});
    CHECK(result.internal_kinetic == within(1e-15, 6.5 - 37.0 / 8));
    CHECK(result.virial_ratio() == within(1e-15, (6.5 - 37.0 / 8) / 6));
}

TEST_CASE("no particles, or none with mass, give zeros")
{
    Particles particles;
    CHECK(diagnose(particles).energy() == 0);
    particles.resize(3);
    const Diagnostics result = diagnose(particles);
    CHECK(result.virial_ratio() == 0);
    CHECK(result.lagrangian_radii[2] == 0);
}

TEST_CASE("Lagrangian radii of a Plummer sphere, about any centre")
{
    const Vec3<double> center{3, -2, 5};
    const Particles sphere = shells(10007, center, plummer_radius);
    const auto radii = lagrangian_radii(sphere, center, lagrangian_fractions);
    for (int k = 0; k < 5; ++k)
        CHECK(radii[k] == within(5e-4, plummer_radius(lagrangian_fractions[k])));
    CHECK_FALSE(radii[2] == within(5e-4, plummer_radius(0.501)));
}

TEST_CASE("unequal masses: the radius is that of the particle with which the fraction is reached")
{
    Particles particles;
    particles.resize(5);
    particles.mass = {4, 0, 1, 2, 3};
    particles.position = {{4, 0, 0}, {0.5, 0, 0}, {0, 1, 0}, {0, 0, -2}, {3, 0, 0}};
    const std::vector<double> fractions{0.05, 0.1, 0.3, 0.31, 0.6, 1};
    const std::vector<double> expected{1, 1, 2, 3, 3, 4};
    CHECK(lagrangian_radii(particles, {}, fractions) == expected);
}

TEST_CASE("the density centre stays with the dense part")
{
    const Vec3<double> dense{3, -2, 5};
    Particles particles = shells(2000, dense, plummer_radius);
    const Particles other =
        shells(1000, {-40, 0, 0}, [](double mass) { return 3 * plummer_radius(mass); });
    for (std::size_t i = 0; i < other.size(); ++i) {
        particles.mass.push_back(other.mass[i] / 2);
        particles.position.push_back(other.position[i]);
    }
    CHECK(norm(density_center(particles) - dense) < 0.2);
}

TEST_CASE("ordered sums are right for every length")
{
    for (std::size_t n : {0, 1, 2047, 2048, 2049, 10000})
        CHECK(ordered_sum<double>(n, [](std::size_t i) { return double(i); }) ==
              double(n) * (double(n) - 1) / 2);
}

TEST_SUITE_END();
