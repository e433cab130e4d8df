// Spectra and halos of particles on ranks, against a single rank bit by bit.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "chamomile/analysis/halos/rank_halos.hpp"
#include "chamomile/analysis/power_spectrum.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "tests/unit/clumps.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_analysis");

namespace {

constexpr int numbers_of_ranks[] = {1, 2, 3, 4, 7};
constexpr GlobalIndex first_number = GlobalIndex(5) << 32; ///< of the particles in halos

/// Clumps in a cube with side 3, with unequal masses.
Particles matter(std::size_t n)
{
    Particles p;
    p.resize(n);
    p.position = clumps(n, 3, 5);
    Random random(6);
    for (double& m : p.mass)
        m = random(0.5, 1.5);
    return p;
}

PowerSpectrum spectrum_of_run(const Particles& p, const PowerSpectrumOptions& options,
                              Communicator* ranks)
{
    const std::size_t first = ranks ? ranks->first_of_run(p.size(), ranks->rank()) : 0,
                      end = ranks ? ranks->first_of_run(p.size(), ranks->rank() + 1) : p.size();
    return power_spectrum(end - first, view_of(std::span(p.position).subspan(first, end - first)),
                          view_of(std::span(p.mass).subspan(first, end - first)), {3}, options,
                          ranks);
}

bool are_equal(const PowerSpectrum& a, const PowerSpectrum& b)
{
    return a.shot_noise == b.shot_noise && a.bins.size() == b.bins.size() &&
           std::equal(a.bins.begin(), a.bins.end(), b.bins.begin(),
                      [](const PowerBin& x, const PowerBin& y) {
                          return x.low == y.low && x.high == y.high && x.k == y.k &&
                                 x.modes == y.modes && x.power == y.power && x.total == y.total &&
                                 x.error == y.error && x.folding == y.folding;
                      });
}

/// What a case links: a box, a length and types.
struct Linking {
    const char* name;
    Places position;
    double side, length;
    std::size_t min_members = 2;
    std::uint8_t types = 0x3f;
};

Particles particles_of(const Linking& linking)
{
    Particles p;
    p.resize(linking.position.size());
    p.position = linking.position;
    Random random(9);
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.mass[i] = random(0.5, 1.5);
        p.velocity[i] = {random(-1, 1), random(-1, 1), random(-1, 1)};
        p.type[i] = std::uint8_t(i * i % 6);
    }
    return p;
}

RankHaloRequest request_of(const Linking& linking)
{
    return {.rule = {{linking.side}, linking.length, linking.min_members},
            .softening = 0.2 * linking.length,
            .velocity_factor = 0.7,
            .types = linking.types};
}

/// Thresholds relative to the mean density in a cube of side 3.
std::vector<double> densities_of(const Particles& p)
{
    const double mean = double(p.size()) / std::pow(3, 3);
    return {0.5 * mean, 30 * mean, 0, 400 * mean};
}

RankHalos on_one_rank(const Particles& p, const Linking& linking)
{
    const RankHaloRequest request = request_of(linking);
    std::vector<Index> chosen;
    Places position;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (linking.types >> p.type[i] & 1) {
            chosen.push_back(Index(i));
            position.push_back(p.position[i]);
        }
    ParticleGroups groups =
        friends_of_friends(position, {linking.side}, linking.length, linking.min_members);
    RankHalos found;
    for (Index& member : groups.members) {
        member = chosen[member];
        found.members.push_back(first_number + member);
    }
    Particles scaled = p;
    for (Vec3<double>& v : scaled.velocity)
        v = request.velocity_factor * v;
    found.halos = halo_properties(scaled, groups, {linking.side}, request.softening);
    std::vector<Vec3<double>> centers;
    std::vector<double> masses;
    for (const Halo& halo : found.halos) {
        centers.push_back(halo.center);
        masses.push_back(halo.mass);
    }
    found.spheres = overdense_spheres(p, {linking.side}, centers, masses, densities_of(p));
    return found;
}

/// Returns the home rows of a rank.
RankMatter matter_of(const Particles& p, const Communicator& ranks)
{
    const std::size_t first = ranks.first_of_run(p.size(), ranks.rank()),
                      count = ranks.first_of_run(p.size(), ranks.rank() + 1) - first;
    const auto own = [&](const auto& values) { return std::span(values).subspan(first, count); };
    return {own(p.position), own(p.velocity), own(p.mass), own(p.type), first_number + first};
}

RankHalos on_ranks(const Particles& p, const Linking& linking, int P,
                   const RankOptions& options = {})
{
    RankHalos found;
    run_ranks(
        P,
        [&](Communicator& ranks) {
            Particles own = p;
            RankHalos halos =
                halos_of_ranks(matter_of(own, ranks), request_of(linking), densities_of(p), ranks);
            if (ranks.rank() == 0)
                found = std::move(halos);
            else if (!halos.halos.empty())
                throw Error(Fault::numeric, "a rank above 0 has halos");
        },
        options);
    return found;
}

bool are_equal(const Halo& a, const Halo& b)
{
    return a.members == b.members && a.mass == b.mass && a.members_of_type == b.members_of_type &&
           a.mass_of_type == b.mass_of_type && a.center == b.center &&
           a.center_of_mass == b.center_of_mass && a.velocity == b.velocity &&
           a.dispersion == b.dispersion && a.half_mass_radius == b.half_mass_radius &&
           a.radius == b.radius && a.middle_to_major == b.middle_to_major &&
           a.minor_to_major == b.minor_to_major;
}

void check_on_ranks(const Linking& linking)
{
    CAPTURE(linking.name);
    const Particles p = particles_of(linking);
    const RankHalos one = on_one_rank(p, linking);
    CHECK(one.halos.size() >= std::min<std::size_t>(p.size(), 1));
    for (const int P : numbers_of_ranks) {
        CAPTURE(P);
        const RankHalos found = on_ranks(p, linking, P);
        CHECK(found.members == one.members);
        CHECK(std::ranges::equal(found.halos, one.halos,
                                 [](const Halo& a, const Halo& b) { return are_equal(a, b); }));
        CHECK(std::ranges::equal(found.spheres, one.spheres,
                                 [](const OverdenseSphere& a, const OverdenseSphere& b) {
                                     return a.mass == b.mass && a.radius == b.radius;
                                 }));
    }
}

/// A chain along the diagonal of a cube of side 1, in mixed order.
Places chain(std::size_t n)
{
    Places x(n);
    for (std::size_t k = 0; k < n; ++k) {
        const double d = double(k * 37 % n) / double(n);
        x[k] = {d, d, d};
    }
    return x;
}

} // namespace

TEST_CASE("a power spectrum on ranks has the bits of one rank")
{
    const Particles p = matter(3001);
    PowerSpectrumOptions plain{.mesh = 24, .kernel = Assignment::cloud_in_cell};
    plain.interlacing = Interlacing::none;
    PowerSpectrumOptions linear{.mesh = 32};
    linear.bins = PowerBins::linear;
    for (const PowerSpectrumOptions& options :
         {plain, linear, PowerSpectrumOptions{.mesh = 32, .foldings = 2}}) {
        const PowerSpectrum one = spectrum_of_run(p, options, nullptr);
        CHECK(one.bins.size() > 8);
        for (const int P : numbers_of_ranks) {
            CAPTURE(P);
            run_ranks(P, [&](Communicator& ranks) {
                const PowerSpectrum own = spectrum_of_run(p, options, &ranks);
                if (!are_equal(own, one))
                    throw Error(Fault::numeric, "the spectrum differs");
            });
        }
    }
}

TEST_CASE("spectra work with more ranks than planes and particles")
{
    const Particles p = matter(9);
    const PowerSpectrumOptions options{.mesh = 8};
    const PowerSpectrum one = spectrum_of_run(p, options, nullptr);
    run_ranks(11, [&](Communicator& ranks) {
        if (!are_equal(spectrum_of_run(p, options, &ranks), one))
            throw Error(Fault::numeric, "the spectrum differs");
    });
}

TEST_CASE("a spectrum that one rank refuses is refused by all")
{
    std::string lines[3];
    run_ranks(3, [&](Communicator& ranks) {
        lines[ranks.rank()] = error_line([&] { spectrum_of_run(matter(30), {.mesh = 7}, &ranks); });
    });
    for (const std::string& line : lines)
        CHECK(line == "mesh: 7: must be even, from 8 to 8192");
}

TEST_CASE("halos on ranks have the members and bits of one rank")
{
    check_on_ranks({"clumps in a box", clumps(40000, 3, 5), 3, 0.02, 4}); // worth threads
    check_on_ranks({"isolated clumps", clumps(3000, 3, 6), 0, 0.05, 4});
    check_on_ranks({"some types", clumps(3000, 3, 7), 3, 0.1, 3, 0b011010});
    check_on_ranks({"a long length", clumps(500, 3, 8), 3, 0.4, 1});
    Places images = clumps(1000, 3, 10);
    for (std::size_t i = 0; i < images.size(); ++i)
        images[i] += Vec3<double>{3. * double(i % 3) - 3, 0, 3. * double(i % 2)};
    check_on_ranks({"other images", images, 3, 0.05, 2});
}

TEST_CASE("a chain of particles through all ranks is one halo")
{
    for (const double side : {0., 1.}) {
        const Linking linking{"chain", chain(200), side, 0.0087, 200}; // steps of 0.005 sqrt(3)
        check_on_ranks(linking);
        CHECK(on_ranks(particles_of(linking), linking, 7).halos.size() == 1);
    }
    Places winding; // to and fro along x, a step along y each time
    for (int row = 0; row < 12; ++row)
        for (int k = 0; k < 60; ++k)
            winding.push_back({(row % 2 ? 59 - k : k) / 60., row / 24., 0.5});
    for (int row = 1; row < 12; ++row)
        winding.push_back({row % 2 ? 59 / 60. : 0, (row - 0.5) / 24., 0.5});
    const Linking linking{"winding", winding, 0, 0.022, 3};
    check_on_ranks(linking);
    CHECK(on_ranks(particles_of(linking), linking, 4).halos[0].members == winding.size());
}

TEST_CASE("one halo with all particles, and halos on faces and corners")
{
    Random random(4);
    Places all, faces;
    for (int k = 0; k < 800; ++k)
        all.push_back({random(0, 1), random(0, 1), random(0, 1)});
    check_on_ranks({"all", all, 1, 0.25, 2});
    for (int k = 0; k < 900; ++k) {
        const Vec3<double> d = on_sphere(random, 0.04 * random());
        const Vec3<double> centers[] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 1, 0}, {0.25, 0.25, 0.25}};
        faces.push_back(Periodicity{1}.wrapped(centers[k % 4] + d));
    }
    const Linking linking{"faces", faces, 1, 0.02, 20};
    check_on_ranks(linking);
    CHECK(on_ranks(particles_of(linking), linking, 4).halos.size() == 4);
}

TEST_CASE("halos of few or coincident particles, and of none")
{
    check_on_ranks({"few", {{0.1, 0, 0}, {0.15, 0, 0}, {0.9, 0.5, 0.5}}, 1, 0.1, 1});
    check_on_ranks({"one place", Places(300, {0.5, 0.5, 0.5}), 1, 0.01, 2});
    check_on_ranks({"one place, isolated", Places(300, {0.5, 0.5, 0.5}), 0, 0.01, 2});
    check_on_ranks({"a sheet", Places{{0.5, 0, 0}, {0.5, 0.1, 0}, {0.5, 0.2, 0}}, 0, 0.11, 1});
    check_on_ranks({"none", {}, 1, 0.1, 1});
}

TEST_CASE("halos on ranks do not depend on the order of messages")
{
    const Linking linking{"clumps", clumps(1000, 3, 5), 3, 0.1, 2};
    const Particles p = particles_of(linking);
    const RankHalos one = on_one_rank(p, linking);
    CHECK(on_ranks(p, linking, 4, {.held_back = 3}).members == one.members);
}

TEST_CASE("what one rank cannot link is refused by all")
{
    const auto check = [](const Linking& linking, const std::string& line) {
        const Particles p = particles_of(linking);
        std::string lines[3];
        run_ranks(3, [&](Communicator& ranks) {
            lines[ranks.rank()] = error_line([&] {
                Particles own = p;
                halos_of_ranks(matter_of(own, ranks), request_of(linking), {}, ranks);
            });
        });
        for (const std::string& told : lines)
            CHECK(told.starts_with(line));
    };
    check({"", chain(50), 1, 0}, "linking length: 0: must be positive");
    check({"", chain(50), 1, 0.6}, "linking length: 0.6: must be at most half the side of the box");
    check({"", chain(50), 0, 1e-9}, "linking length: 1e-09: must be above 1e-6 of the extent");
}

TEST_SUITE_END();
