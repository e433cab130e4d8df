// Friends of friends on the first GPU against the host. The suite is skipped without a GPU.
#include <cmath>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "chamomile/analysis/friends_of_friends.hpp"
#include "chamomile/core/error.hpp"
#include "tests/unit/clumps.hpp"

using namespace chamomile;
using tests::clumps;
using tests::Places;
using tests::Random;

TEST_SUITE_BEGIN("gpu_friends");

namespace {

/// Checks that a GPU finds the host's groups, and returns their number.
std::size_t same_groups(const Places& x, double side, double length, std::size_t min)
{
    CAPTURE(x.size());
    CAPTURE(side);
    CAPTURE(length);
    CAPTURE(min);
    const ParticleGroups host = friends_of_friends(x, {side}, length, min);
    const ParticleGroups found = friends_of_friends_on_gpu(0, x, {{side}, length, min});
    CHECK(found.first == host.first);
    CHECK(found.members == host.members);
    return found.size();
}

} // namespace

TEST_CASE("a GPU finds the host's groups for any box, linking length and group size")
{
    for (double side : {0.0, 10.0})
        for (double length : {0.02, 0.1, 0.35, 0.8, 2.7, 5.0})
            for (std::size_t n : {83, 1201, 30011})
                for (std::size_t min : {0, 1, 8, 40000})
                    same_groups(clumps(n, 10, std::uint64_t(100 * length + side)), side, length,
                                min);
    CHECK(same_groups(clumps(1000003, 1, 11), 1, 0.002, 5) > 1000);
    const Places uniform = tests::uniform_cube(1000003).position;
    CHECK(same_groups(uniform, 1, 0.002, 2) > 1000);
    CHECK(same_groups(uniform, 0, 0.012, 20) == 1); // percolates
    CHECK(same_groups(tests::plummer(300007).position, 0, 0.018, 20) > 10);
}

TEST_CASE("a GPU finds the host's groups with few cells along a side")
{
    for (std::uint64_t seed = 1; seed < 100; ++seed) {
        Random random(seed);
        const Places x = clumps(std::size_t(random(1, 200)), 1, seed);
        for (double length : {0.5, 0.45, 0.3, 0.25, 0.2, 0.5 * random()})
            same_groups(x, 1, length, 1);
    }
}

TEST_CASE("a GPU links chains through faces, edges and corners of the box")
{
    Places x;
    for (int k = 0; k < 100; ++k)
        x.push_back({0.01 * k + 7, 0.01 * k - 3, 0.01 * k});
    CHECK(same_groups(x, 1, 0.0174, 2) == 1);
    CHECK(same_groups(x, 1, 0.0173, 2) == 0);
    CHECK(same_groups(x, 1, 0.01 * std::sqrt(3), 2) > 0); // decided by rounding
    CHECK(same_groups(x, 0, 0.01 * std::sqrt(3), 2) > 0);
    Places lattice;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            for (int k = 0; k < 8; ++k)
                lattice.push_back({0.125 * i, 0.125 * j, 0.125 * k});
    for (double side : {0.0, 1.0}) {
        CHECK(same_groups(lattice, side, 0.125, 2) == 1);
        CHECK(same_groups(lattice, side, std::nextafter(0.125, 0), 2) == 0);
    }
}

TEST_CASE("a GPU sorts groups of one size by first member")
{
    // Also long chains of cells, in which a set is read while another thread shortens it.
    Places x; // equal chains, with the first member in any cell
    for (int k = 0; k < 4000; ++k) {
        const int chain = k % 40, step = (k / 40 * 37 + 45 + chain * 31 % 40) % 100;
        x.push_back({0.1 * (chain % 8), 0.1 * (chain / 8), 0.001 * step});
    }
    CHECK(same_groups(x, 0, 0.0011, 2) == 40);
}

TEST_CASE("one friend links two cells of many particles on a GPU")
{
    for (std::size_t linking : {0, 25, 299, 319})
        for (std::size_t offset : {0, 320}) {
            Places x(320, {0.5, 0.5, 0.5});
            x.insert(x.end(), 320, {offset == 0 ? 0.513 : 0.511, 0.5, 0.5});
            x[offset + linking].x = offset == 0 ? 0.504 : 0.5095; // in the same cell
            CHECK(same_groups(x, 0, 0.01, 2) == 1);
            x[offset + linking].x = offset == 0 ? 0.5029 : 0.5101;
            CHECK(same_groups(x, 0, 0.01, 2) == 2);
        }
}

TEST_CASE("a GPU groups coincident and distant particles, images, a single particle and none")
{
    Places x(50000, {0.5, 0.5, 0.5});
    for (double side : {0.0, 1.0}) {
        CHECK(same_groups(x, side, 1e-3, 2) == 1);
        CHECK(same_groups({{0.5, 0.5, 0.5}}, side, 0.1, 1) == 1);
        CHECK(same_groups({{0.5, 0.5, 0.5}}, side, 0.1, 2) == 0);
        CHECK(same_groups({}, side, 0.1, 1) == 0);
    }
    x.insert(x.end(), 50000, {0.5011, 0.5, 0.5});
    CHECK(same_groups(x, 0, 1e-3, 2) == 2);
    CHECK(same_groups(x, 0, 1.2e-3, 2) == 1);
    x = clumps(597, 4, 3);
    Random random(5);
    for (Vec3<double>& p : x)
        p += Vec3<double>{4 * std::floor(random(-2, 3)), 4 * std::floor(random(-2, 3)), 0};
    same_groups(x, 4, 0.2, 2);
    x.push_back({1e5, 0, 0});
    same_groups(x, 0, 0.2, 1);
}

TEST_CASE("a GPU refuses the groupings that the host refuses")
{
    const auto line = [](bool on_gpu, const Places& x, double side, double length) -> std::string {
        try {
            if (on_gpu)
                friends_of_friends_on_gpu(0, x, {{side}, length, 1});
            else
                friends_of_friends(x, {side}, length, 1);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const Places two{{0, 0, 0}, {1, 1, 1}};
    for (const auto& [x, side, length] :
         {std::tuple{two, 1.0, 0.0}, std::tuple{two, 1.0, double(NAN)}, std::tuple{two, 1.0, 0.51},
          std::tuple{two, 0.0, 1e-7}, std::tuple{Places{{1, 1, 1}, {0, NAN, 0}}, 1.0, 0.1}}) {
        CHECK(line(true, x, side, length) == line(false, x, side, length));
        CHECK_FALSE(line(true, x, side, length).empty());
    }
    CHECK(line(true, two, 0, 1e9).empty());
}

TEST_SUITE_END();
