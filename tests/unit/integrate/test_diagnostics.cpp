// Energies, momenta, centers and radii against known values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/measures/kepler_orbit.hpp"
#include "chamomile/integrate/measures/neighbors.hpp"
#include "chamomile/integrate/measures/unbinding.hpp"
#include "tests/unit/rows_in_blocks.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("diagnostics");

namespace {

/// Equal-mass particles at the radii that enclose (i + 1/2)/n of a sphere with total mass 1, with
/// evenly spread directions.
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

/// Plummer sphere with scale length 1.
double plummer_radius(double mass)
{
    return 1 / std::sqrt(std::pow(mass, -2.0 / 3) - 1);
}

/// Clumps with unequal masses on a grid; many distances are equal, and a tenth is massless. All
/// share a large velocity.
Particles clumps(std::size_t n)
{
    Particles particles;
    particles.resize(n);
    std::mt19937_64 random(7);
    const auto uniform = [&] { return double(random() >> 11) * 0x1p-53; };
    for (std::size_t i = 0; i < n; ++i) {
        const double size = i % 3 == 0 ? 1 : 0.01;
        particles.mass[i] = i % 10 == 4 ? 0 : std::pow(10, 4 * uniform());
        particles.position[i] = {size * std::floor(50 * uniform()), std::floor(9 * uniform()),
                                 i % 2 + 0.5};
        particles.velocity[i] = {1e6 + uniform(), uniform(), -1e5 - uniform()};
        particles.potential[i] = -uniform();
    }
    return particles;
}

std::vector<std::size_t> massive(const Particles& particles)
{
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (particles.mass[i] > 0)
            all.push_back(i);
    return all;
}

/// Sorts by distance, then by index.
void sort_by_distance(std::vector<std::size_t>& order, const Particles& particles,
                      const Vec3<double>& center)
{
    std::vector<double> r2(particles.size());
    for (std::size_t i : order)
        r2[i] = norm_squared(particles.position[i] - center);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return r2[a] < r2[b]; });
}

std::vector<double> sorted_radii(const Particles& particles, const Vec3<double>& center)
{
    std::vector<std::size_t> order = massive(particles);
    sort_by_distance(order, particles, center);
    long double total = 0, inside = 0;
    for (std::size_t i : order)
        total += particles.mass[i];
    std::vector<double> radii;
    for (std::size_t i : order)
        for (inside += particles.mass[i];
             radii.size() < 5 &&
             inside >= (1 - 1e-12L) * lagrangian_fractions[radii.size()] * total;)
            radii.push_back(norm(particles.position[i] - center));
    return radii;
}

Vec3<double> sorted_center(const Particles& particles)
{
    std::vector<std::size_t> near = massive(particles);
    for (;;) {
        std::sort(near.begin(), near.end());
        long double mass = 0, x = 0, y = 0, z = 0;
        for (std::size_t i : near) {
            const long double m = particles.mass[i];
            mass += m;
            x += m * particles.position[i].x;
            y += m * particles.position[i].y;
            z += m * particles.position[i].z;
        }
        const Vec3<double> center{double(x / mass), double(y / mass), double(z / mass)};
        if (near.size() <= 100)
            return center;
        sort_by_distance(near, particles, center);
        near.resize(near.size() / 2);
    }
}

} // namespace

TEST_CASE("diagnostics of two bodies match values by hand")
{
    Particles pair;
    pair.resize(2);
    pair.mass = {1, 3};
    pair.position = {{1, 0, 0}, {0, 2, 0}};
    pair.velocity = {{0, 1, 0}, {0, 0, 2}};
    pair.potential = {-6, -2}; // pair energy -6
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

TEST_CASE("diagnostics of no particles vanish; massless sets count unit masses")
{
    CHECK(diagnose(Particles()).energy() == 0);
    PotentialFiles files;
    const auto field = read_external_field("potential", {"plummer,M=2,a=3"}, {}, 1, files);
    Particles unit = clumps(3001), tracers = unit;
    unit.mass.assign(unit.size(), 1);
    tracers.mass.assign(unit.size(), 0);
    const ExternalState external{field.get(), 0.25};
    const Diagnostics whole = diagnose(unit, LagrangianRadii::computed, external),
                      found = diagnose(tracers, LagrangianRadii::computed, external);
    CHECK(std::memcmp(&found, &whole, sizeof whole) == 0);
    CHECK(found.external < 0);
    RowsInBlocks rows(tracers, 2048);
    Communicator alone;
    const Diagnostics in_blocks =
        diagnose({without_motion(tracers), rows, RankSubset{alone, tracers.size()}},
                 LagrangianRadii::computed, external);
    CHECK(std::memcmp(&in_blocks, &whole, sizeof whole) == 0);
}

TEST_CASE("Lagrangian radii of a Plummer sphere hold about any center")
{
    const Vec3<double> center{3, -2, 5};
    const Particles sphere = shells(10007, center, plummer_radius);
    const auto radii = lagrangian_radii(sphere, center, lagrangian_fractions);
    for (int k = 0; k < 5; ++k)
        CHECK(radii[k] == within(5e-4, plummer_radius(lagrangian_fractions[k])));
    CHECK_FALSE(radii[2] == within(5e-4, plummer_radius(0.501)));
}

TEST_CASE("Lagrangian radii of unequal masses end at the particle reaching the fraction")
{
    Particles particles;
    particles.resize(5);
    particles.mass = {4, 0, 1, 2, 3};
    particles.position = {{4, 0, 0}, {0.5, 0, 0}, {0, 1, 0}, {0, 0, -2}, {3, 0, 0}};
    const std::vector<double> fractions{0.05, 0.1, 0.3, 0.31, 0.6, 1};
    const std::vector<double> expected{1, 1, 2, 3, 3, 4};
    CHECK(lagrangian_radii(particles, {}, fractions) == expected);
}

TEST_CASE("the density center follows the dense clump")
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

TEST_CASE("Lagrangian radii and density center match a full sort")
{
    for (std::size_t n : {1, 2, 5, 99, 101, 1023, 40009, 120011}) {
        const Particles particles = clumps(n);
        const Vec3<double> center = density_center(particles);
        CHECK(norm(center - sorted_center(particles)) <= 1e-12 * norm(center));
        for (const Vec3<double>& about : {center, Vec3<double>{3, 0.5, 0.5}, {1e9, 0, 0}})
            CHECK(lagrangian_radii(particles, about, lagrangian_fractions) ==
                  sorted_radii(particles, about));
    }
    // Nearly all mass in a point, and one particle far outside.
    Particles point = clumps(20000);
    std::fill(point.position.begin(), point.position.end(), Vec3<double>{1, 2, 3});
    point.position[11] = {1e200, 0, 0};
    point.position[12] = {1, 2, 3 + 1e-9};
    for (const Vec3<double>& about : {Vec3<double>{1, 2, 3}, {0, 0, 0}})
        CHECK(lagrangian_radii(point, about, lagrangian_fractions) == sorted_radii(point, about));
}

TEST_CASE("the sampled density center of large sets is correct for any mass distribution")
{
    Particles sphere = shells(400009, {3, -2, 5}, plummer_radius);
    CHECK(norm(density_center(sphere) - Vec3<double>{3, -2, 5}) < 0.03);
    for (std::size_t i = 0; i < sphere.size(); ++i) // the few massive particles are elsewhere
        if (i % 40 == 0)
            sphere.position[i] = 0.1 * sphere.position[i];
        else
            sphere.mass[i] = 0;
    CHECK(norm(density_center(sphere) - sorted_center(sphere)) < 1e-12);
}

TEST_CASE("diagnostics of rows in blocks equal diagnostics in memory bitwise")
{
    PotentialFiles files;
    const auto field =
        read_external_field("potential", {"plummer,M=2,a=3", "rotation,omega=0.5"}, {}, 1, files);
    for (const bool are_few : {false, true}) { // with mass, so the center depends on all particles
        Particles all = clumps(300007);
        for (std::size_t i = 0; are_few && i < all.size(); ++i)
            all.mass[i] = i % 40 == 0 ? all.mass[i] : 0;
        const ExternalState external{field.get(), 0.25};
        const Diagnostics whole = diagnose(all, LagrangianRadii::computed, external);
        const Particles rest = without_motion(all);
        for (const std::size_t max : {std::size_t(2048), std::size_t(34567)}) {
            RowsInBlocks rows(all, max);
            Communicator alone;
            const Diagnostics found = diagnose({rest, rows, RankSubset{alone, all.size()}},
                                               LagrangianRadii::computed, external);
            CHECK(std::memcmp(&found, &whole, sizeof whole) == 0);
            CHECK(rows.largest() == max);
        }
    }
}

TEST_CASE("diagnostics on several ranks equal a single rank bitwise for any distribution")
{
    PotentialFiles files;
    const auto field =
        read_external_field("potential", {"plummer,M=2,a=3", "rotation,omega=0.5"}, {}, 1, files);
    const ExternalState external{field.get(), 0.25};
    const std::vector<std::pair<std::size_t, int>> sets{
        {5, 0}, {3001, 1}, {3001, 2}, {150001, 0}, {150001, 3}};
    for (const std::pair<std::size_t, int>& set : sets) {
        const std::size_t n = set.first;
        const int kind = set.second;
        CAPTURE(n);
        CAPTURE(kind);
        Particles all = clumps(n);
        for (std::size_t i = 0; i < n; ++i)
            if (kind == 1 || (kind == 2 && i % 3 == 0) || (kind == 3 && i % 40 != 0))
                all.mass[i] = 0;
        const Diagnostics whole = diagnose(all, LagrangianRadii::computed, external);
        for (const int ranks : {1, 2, 7})
            for (const bool are_mixed : {false, true}) {
                CAPTURE(ranks);
                CAPTURE(are_mixed);
                std::vector<GlobalIndex> number(n); // rank after rank
                std::iota(number.begin(), number.end(), 0);
                if (are_mixed)
                    std::shuffle(number.begin(), number.end(), std::mt19937_64(3));
                std::vector<Diagnostics> found(std::size_t(ranks), Diagnostics{});
                run_ranks(ranks, [&](Communicator& own) {
                    const std::size_t first = own.first_of_run(n, own.rank()),
                                      count = own.first_of_run(n, own.rank() + 1) - first;
                    const std::span<const GlobalIndex> mine =
                        std::span(number).subspan(first, count);
                    Particles some;
                    for_each_column(
                        [&](Column, const std::string&, auto& values, auto& chosen) {
                            for (std::size_t k = 0; k < mine.size() && !values.empty(); ++k)
                                chosen.push_back(values[mine[k]]);
                        },
                        all, some);
                    RowsInMemory rows(some);
                    const RankSubset part{own, n, first,
                                          are_mixed ? mine : std::span<const GlobalIndex>()};
                    found[std::size_t(own.rank())] =
                        diagnose({some, rows, part}, LagrangianRadii::computed, external);
                });
                for (const Diagnostics& one : found)
                    CHECK(std::memcmp(&one, &whole, sizeof whole) == 0);
            }
    }
}

TEST_CASE("diagnostics match bitwise for any number of threads, also with bulk velocity")
{
    const Particles particles = clumps(300007);
    const int usual = thread_count();
    std::vector<Diagnostics> found;
    for (int threads : {1, 2, 3, 7}) {
        use_threads(threads);
        found.push_back(diagnose(particles));
    }
    use_threads(usual);
    for (const Diagnostics& other : found) {
        CHECK(other.lagrangian_radii == found[0].lagrangian_radii);
        CHECK(other.angular_momentum == found[0].angular_momentum);
        CHECK(other.internal_kinetic == found[0].internal_kinetic);
        CHECK(other.potential == found[0].potential);
    }
    const Vec3<double> bulk = (1 / found[0].mass) * found[0].momentum;
    long double internal = 0;
    for (std::size_t i = 0; i < particles.size(); ++i)
        internal += 0.5 * particles.mass[i] * norm_squared(particles.velocity[i] - bulk);
    CHECK(found[0].internal_kinetic == within(1e-9, double(internal)));
}

TEST_CASE("nearest neighbors are those of all pairs, also with equal places and distances")
{
    for (const std::size_t n : {2, 7, 60, 1000}) {
        const Particles particles = clumps(n);
        const std::vector<Vec3<double>>& x = particles.position;
        for (const std::size_t count : {std::size_t(1), std::min<std::size_t>(6, n - 1)}) {
            const std::vector<Index> found = nearest_neighbors(x, count);
            for (std::size_t i = 0; i < n; ++i) {
                std::vector<std::pair<double, Index>> all;
                for (std::size_t j = 0; j < n; ++j)
                    if (j != i)
                        all.emplace_back(norm_squared(x[j] - x[i]), Index(j));
                std::ranges::sort(all);
                for (std::size_t k = 0; k < count; ++k)
                    CHECK(found[i * count + k] == all[k].second);
            }
        }
    }
}

TEST_CASE("a Kepler orbit has its elements, from circles to hyperbolas")
{
    const double GM = 3.7;
    for (const double e : {0.0, 1e-6, 0.5, 0.999, 1.5, 20.0})
        for (const double anomaly : {0.0, 0.7, -1.2}) {
            const double pericenter = 0.3, p = pericenter * (1 + e);
            const double r = p / (1 + e * std::cos(anomaly)), v = std::sqrt(GM / p);
            const KeplerOrbit orbit =
                kepler_orbit(GM, {r * std::cos(anomaly), 0, r * std::sin(anomaly)},
                             {-v * std::sin(anomaly), 0, v * (e + std::cos(anomaly))});
            const double a = pericenter / (1 - e);
            CHECK(std::abs(orbit.eccentricity - e) < 1e-13 * (1 + e));
            CHECK(orbit.pericenter == within(1e-12, pericenter));
            CHECK(orbit.semi_major_axis == within(1e-10, a));
            CHECK(orbit.is_bound() == (e < 1));
            if (e < 1)
                CHECK(orbit.period == within(1e-9, 2 * M_PI * std::sqrt(a * a * a / GM)));
            else
                CHECK(orbit.speed == within(1e-10, std::sqrt(-GM / a)));
        }
}

TEST_CASE("unbinding finds the same on any number of threads and with potentials given")
{
    Particles particles = shells(20000, {3, 0, -1}, plummer_radius);
    for (std::size_t i = 0; i < particles.size(); ++i) { // every fifth is fast
        const double speed = i % 5 == 0 ? 3 : 0.3;
        const double phi = 2 * M_PI * std::fmod(0.618 * double(i), 1.0);
        particles.velocity[i] = {5 + speed * std::cos(phi), speed * std::sin(phi), 1};
        particles.id[i] = i;
    }
    SolverOptions options;
    options.softening.length = 0.01;
    Candidates all;
    for (std::size_t i = 0; i < particles.size(); ++i)
        all.members.push_back(Index(i));
    const int usual = thread_count();
    std::vector<BoundSystem> found;
    for (const int threads : {1, 2, 5}) {
        use_threads(threads);
        found.push_back(Unbinding(options).find(particles, all, {}));
    }
    use_threads(usual);
    make_solver(options)->solve(particles, Quantities::acceleration_potential);
    all.potential = particles.potential;
    found.push_back(Unbinding(options).find(particles, all, {}));
    CHECK(found[0].members.size() < 16000);
    CHECK(found[0].members.size() > 14000);
    CHECK(std::ranges::none_of(found[0].members, [](Index i) { return i % 5 == 0; }));
    for (const BoundSystem& one : found) {
        CHECK(one.members == found[0].members);
        CHECK(one.velocity == found[0].velocity);
        CHECK(one.half_mass_radius == found[0].half_mass_radius);
        CHECK(std::isnan(one.tidal_radius));
    }
}

TEST_SUITE_END();
