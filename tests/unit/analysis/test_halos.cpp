// Halo measurements against plain sums over members with known images.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/analysis/halos/halo_properties.hpp"
#include "chamomile/analysis/halos/spherical_overdensity.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using tests::Random;

TEST_SUITE_BEGIN("halos");

namespace {

/// Particles with different velocities, masses and types, and unrelated potentials.
Particles blob(std::size_t n, const Vec3<double>& center, double radius, std::uint64_t seed)
{
    Random random(seed);
    Particles p;
    p.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        p.mass[i] = random(0.5, 2);
        p.type[i] = std::uint8_t(1 + i % 4);
        p.position[i] = center + tests::on_sphere(random, radius * random());
        p.velocity[i] = {random(-1, 3), random(-2, 2), random(0, 0.5)};
        p.potential[i] = random(-2, -1);
    }
    return p;
}

ParticleGroups all_of(const Particles& particles)
{
    ParticleGroups groups;
    groups.first = {0, particles.size()};
    for (std::size_t i = 0; i < particles.size(); ++i)
        groups.members.push_back(Index(i));
    return groups;
}

Halo measured(const Particles& particles, double side)
{
    return halo_properties(particles, all_of(particles), {side}, 1e-3).at(0);
}

Particles moved(Particles particles, const Vec3<double>& shift, double side)
{
    for (Vec3<double>& x : particles.position)
        x = Periodicity{side}.wrapped(x + shift);
    return particles;
}

double distance(const Vec3<double>& a, const Vec3<double>& b, double side = 0)
{
    return norm(Periodicity{side}.nearest(a - b));
}

/// Returns the particle with the lowest potential, summed pair by pair with the softening in
/// measured().
std::size_t lowest_potential(const Particles& p)
{
    std::size_t lowest = 0;
    double min = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        double phi = 0;
        for (std::size_t j = 0; j < p.size(); ++j)
            if (i != j)
                phi -= p.mass[j] / std::hypot(distance(p.position[i], p.position[j]), 1e-3);
        if (phi < min) {
            min = phi;
            lowest = i;
        }
    }
    return lowest;
}

} // namespace

TEST_CASE("halo mass, velocity, dispersion and radii match plain sums")
{
    const Particles p = blob(597, {5, 5, 5}, 2, 1);
    const Halo halo = measured(p, 0);
    double mass = 0, square = 0;
    Vec3<double> center, velocity;
    const std::size_t lowest = lowest_potential(p); // also the core's lowest
    for (std::size_t i = 0; i < p.size(); ++i) {
        mass += p.mass[i];
        center += p.mass[i] * p.position[i];
        velocity += p.mass[i] * p.velocity[i];
    }
    velocity = (1 / mass) * velocity;
    for (std::size_t i = 0; i < p.size(); ++i)
        square += p.mass[i] * norm_squared(p.velocity[i] - velocity) / mass;
    CHECK(halo.members == 597);
    CHECK(halo.mass == doctest::Approx(mass).epsilon(1e-13));
    CHECK(distance(halo.center_of_mass, (1 / mass) * center) < 1e-13);
    CHECK(distance(halo.velocity, velocity) < 1e-13);
    CHECK(halo.dispersion == doctest::Approx(std::sqrt(square / 3)).epsilon(1e-12));
    CHECK(distance(halo.center, p.position[lowest]) < 1e-14);
    double inside = 0, farthest = 0, well_inside = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double r = distance(p.position[i], p.position[lowest]);
        farthest = std::max(farthest, r);
        inside += r <= halo.half_mass_radius * (1 + 1e-12) ? p.mass[i] : 0;
        well_inside += r < halo.half_mass_radius * (1 - 1e-12) ? p.mass[i] : 0;
    }
    CHECK(halo.radius == doctest::Approx(farthest).epsilon(1e-12));
    CHECK(inside >= 0.5 * mass);
    CHECK(well_inside < 0.5 * mass);
    CHECK(halo.members_of_type == std::array<std::size_t, 6>{0, 150, 149, 149, 149, 0});
    double of_type = 0;
    for (double m : halo.mass_of_type)
        of_type += m;
    CHECK(of_type == doctest::Approx(mass).epsilon(1e-13));
}

TEST_CASE("a halo across faces and corners equals a halo in the middle")
{
    const Particles p = blob(1201, {5, 5, 5}, 2, 2);
    const Halo middle = measured(p, 10);
    for (const Vec3<double> shift : {Vec3<double>{5, 0, 0}, {-5, 5, 5.5}, {3.7, 25, -41.3}}) {
        const Halo halo = measured(moved(p, shift, 10), 10);
        CHECK(distance(halo.center, middle.center + shift, 10) < 1e-12);
        CHECK(distance(halo.center_of_mass, middle.center_of_mass + shift, 10) < 1e-12);
        CHECK(halo.half_mass_radius == doctest::Approx(middle.half_mass_radius).epsilon(1e-12));
        CHECK(halo.radius == doctest::Approx(middle.radius).epsilon(1e-12));
        CHECK(halo.minor_to_major == doctest::Approx(middle.minor_to_major).epsilon(1e-12));
        CHECK(halo.center.x >= 0);
        CHECK(halo.center.x < 10);
    }
}

TEST_CASE("ellipsoid axes are found in any orientation")
{
    Particles p;
    p.resize(6);
    const double c = std::cos(0.7), s = std::sin(0.7), d = std::cos(0.3), e = std::sin(0.3);
    const auto turned = [&](const Vec3<double>& v) {
        const Vec3<double> w{c * v.x - s * v.y, s * v.x + c * v.y, v.z};
        return Vec3<double>{w.x, d * w.y - e * w.z, e * w.y + d * w.z};
    };
    const double axes[3] = {0.5, 1.5, 1};
    for (std::size_t i = 0; i < 6; ++i) {
        Vec3<double> v;
        (i / 2 == 0 ? v.x : i / 2 == 1 ? v.y : v.z) = (i % 2 ? -1 : 1) * axes[i / 2];
        p.position[i] = turned(v);
        p.mass[i] = 2;
    }
    const Halo halo = measured(p, 0);
    CHECK(halo.middle_to_major == doctest::Approx(1 / 1.5).epsilon(1e-12));
    CHECK(halo.minor_to_major == doctest::Approx(0.5 / 1.5).epsilon(1e-12));
    p.resize(1);
    CHECK(measured(p, 0).minor_to_major == 1);
}

TEST_CASE("the halo center is the dense part, not the center of mass")
{
    Particles p = blob(4000, {5, 5, 5}, 2, 3);
    Random random(4);
    for (std::size_t i = 0; i < 1000; ++i) // a clump on one side
        p.position[4 * i] = Vec3<double>{6, 5, 4.5} + tests::on_sphere(random, 0.1 * random());
    const Halo halo = measured(moved(p, {4, 0, 5}, 10), 10);
    CHECK(distance(halo.center, {0, 5, 9.5}, 10) < 0.01);
    CHECK(distance(halo.center_of_mass, {0, 5, 9.5}, 10) > 0.5);

    const Particles few = blob(100, {5, 5, 5}, 2, 5); // all pairs
    CHECK(distance(measured(few, 0).center, few.position[lowest_potential(few)]) < 1e-14);
}

TEST_CASE("halos of massless particles have finite centers and radii")
{
    Particles p = blob(300, {0, 0, 0}, 1, 6);
    p.mass.assign(300, 0);
    const Halo halo = measured(p, 0);
    CHECK(halo.mass == 0);
    CHECK(halo.radius > 0.5);
    CHECK(std::isfinite(norm(halo.center) + norm(halo.velocity) + halo.dispersion));
}

TEST_CASE("overdensity radii of an isothermal halo match theory, also across corners")
{
    // M(<r) = r for r < 1 in shells, so density d is reached at R = (3 / (4 pi d))^1/2.
    constexpr std::size_t n = 20000;
    Particles p;
    p.resize(n);
    Random random(8);
    for (std::size_t i = 0; i < n; ++i) {
        p.mass[i] = 1.0 / n;
        p.position[i] = Periodicity{4}.wrapped(tests::on_sphere(random, (double(i) + 0.5) / n) +
                                               Vec3<double>{0, 4, 2});
    }
    const std::vector<double> densities{1, 10, 400};
    const std::vector<Vec3<double>> centers(3, {0, 0, 2});
    for (double factor : {0.02, 1.0, 30.0}) { // relative to the estimate: from inside and outside
        const std::vector<double> estimates(3, factor);
        const auto spheres = overdense_spheres(p, {4}, centers, estimates, densities);
        for (std::size_t d = 0; d < 3; ++d) {
            const double radius = std::sqrt(3 / (4 * M_PI * densities[d]));
            CHECK(spheres[d].radius == doctest::Approx(radius).epsilon(1e-4));
            CHECK(spheres[d].mass == doctest::Approx(radius).epsilon(1e-4));
            CHECK(spheres[3 + d].radius == spheres[d].radius);
        }
    }
}

TEST_CASE("overdensity spheres match a search over all particles")
{
    Particles p = blob(3000, {1, 1, 1}, 0.9, 9);
    const Particles clump = blob(500, {1.4, 1.2, 1}, 0.1, 10);
    std::copy(clump.position.begin(), clump.position.end(), p.position.begin());
    const std::vector<double> densities{40000, 3000};
    std::vector<Vec3<double>> centers;
    std::vector<double> estimates;
    for (std::size_t i = 0; i < 40; ++i) {
        centers.push_back(p.position[i * 70]);
        estimates.push_back(400);
    }
    const auto spheres = overdense_spheres(p, {2}, centers, estimates, densities);
    std::size_t found = 0;
    for (std::size_t c = 0; c < 40; ++c)
        for (std::size_t d = 0; d < 2; ++d) {
            const auto mass_within = [&](double r) {
                double mass = 0;
                for (std::size_t i = 0; i < p.size(); ++i)
                    mass += distance(p.position[i], centers[c], 2) <= r ? p.mass[i] : 0;
                return mass;
            };
            const auto is_dense = [&](double r) {
                return mass_within(r) >= densities[d] * 4 * M_PI / 3 * r * r * r;
            };
            const OverdenseSphere& sphere = spheres[2 * c + d];
            if (sphere.radius == 0)
                continue;
            ++found;
            CHECK(sphere.mass == doctest::Approx(mass_within(sphere.radius)).epsilon(1e-12));
            CHECK(is_dense(sphere.radius * (1 - 1e-9)));
            CHECK(!is_dense(sphere.radius * (1 + 1e-9)));
            // No crossing between start and result.
            const double start = std::cbrt(estimates[c] / (4 * M_PI / 3 * densities[d]));
            const bool outwards = is_dense(start);
            CHECK(outwards == (sphere.radius > start));
            for (int k = 1; k < 20; ++k)
                CHECK(is_dense(start + 0.05 * k * (sphere.radius - start)) == outwards);
        }
    CHECK(found > 40);
}

TEST_CASE("an overdensity sphere larger than the box is left out")
{
    Particles p = blob(100, {1, 1, 1}, 0.1, 11);
    const std::vector<Vec3<double>> center{p.position[0]};
    const std::vector<double> estimate{100}, density{0.5};
    CHECK(overdense_spheres(p, {2}, center, estimate, density)[0].radius == 0);
    CHECK(overdense_spheres(p, {}, center, estimate, density)[0].radius > 1);
}

TEST_CASE("halo properties match bitwise for any number of threads")
{
    const Particles p = blob(20000, {1, 1, 1}, 1, 12);
    const int threads = omp_get_max_threads();
    std::vector<Halo> runs[2];
    for (int t : {1, 3}) {
        omp_set_num_threads(t);
        const ParticleGroups groups = friends_of_friends(p.position, {}, 0.03, 5);
        runs[t / 2] = halo_properties(p, groups, {}, 1e-3);
    }
    omp_set_num_threads(threads);
    REQUIRE(runs[0].size() > 10);
    for (std::size_t h = 0; h < runs[0].size(); ++h) {
        CHECK(runs[0][h].center == runs[1][h].center);
        CHECK(runs[0][h].mass == runs[1][h].mass);
        CHECK(runs[0][h].dispersion == runs[1][h].dispersion);
    }
}

TEST_SUITE_END();
