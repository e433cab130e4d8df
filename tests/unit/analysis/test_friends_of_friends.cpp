// Friends of friends against all pairs, across faces, at limits, with any thread count.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/analysis/friends_of_friends.hpp"
#include "chamomile/core/error.hpp"
#include "tests/unit/clumps.hpp"

using namespace chamomile;
using tests::clumps;
using tests::Places;
using tests::Random;

TEST_SUITE_BEGIN("friends_of_friends");

namespace {

/// All pairs with explicit images; labels spread until nothing changes.
std::vector<std::vector<Index>> by_all_pairs(const Places& x, double side, double length,
                                             std::size_t min)
{
    std::vector<std::size_t> label(x.size());
    std::iota(label.begin(), label.end(), std::size_t(0));
    const auto apart = [&](double a, double b) {
        double d = std::abs(a - b);
        if (side > 0) {
            d = std::fmod(d, side);
            d = std::min(d, side - d);
        }
        return d;
    };
    std::vector<std::pair<std::size_t, std::size_t>> links;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (std::hypot(apart(x[i].x, x[j].x), apart(x[i].y, x[j].y), apart(x[i].z, x[j].z)) <=
                length)
                links.push_back({i, j});
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [i, j] : links)
            if (label[i] != label[j]) {
                label[i] = label[j] = std::min(label[i], label[j]);
                changed = true;
            }
    }
    std::map<std::size_t, std::vector<Index>> sets;
    for (std::size_t i = 0; i < x.size(); ++i)
        sets[label[i]].push_back(Index(i));
    std::vector<std::vector<Index>> groups;
    for (const auto& [first, members] : sets)
        if (members.size() >= min)
            groups.push_back(members);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return groups;
}

std::vector<std::vector<Index>> found(const Places& x, double side, double length, std::size_t min)
{
    const ParticleGroups groups = friends_of_friends(x, {side}, length, min);
    std::vector<std::vector<Index>> lists;
    for (std::size_t g = 0; g < groups.size(); ++g)
        lists.emplace_back(groups[g].begin(), groups[g].end());
    return lists;
}

} // namespace

TEST_CASE("groups match an all-pairs search for any box and linking length")
{
    for (double side : {0.0, 10.0})
        for (double length : {0.02, 0.1, 0.35, 0.8, 2.7, 5.0}) {
            CAPTURE(side);
            CAPTURE(length);
            const Places x = clumps(1201, 10, std::uint64_t(100 * length + side));
            const auto reference = by_all_pairs(x, side, length, 1);
            CHECK(found(x, side, length, 1) == reference);
            const auto large = by_all_pairs(x, side, length, 8);
            CHECK(found(x, side, length, 8) == large);
        }
}

TEST_CASE("groups are correct with few cells along a side")
{
    const Places x = clumps(83, 1, 7);
    for (double length : {0.5, 0.45, 0.3, 0.25, 0.2})
        CHECK(found(x, 1, length, 2) == by_all_pairs(x, 1, length, 2));
}

TEST_CASE("a chain links through faces, edges and corners of the box")
{
    Places x;
    for (int k = 0; k < 100; ++k) // along the diagonal, steps of 0.01 sqrt(3)
        x.push_back({0.01 * k + 7, 0.01 * k - 3, 0.01 * k});
    CHECK(found(x, 1, 0.0174, 2).size() == 1);
    CHECK(found(x, 1, 0.0173, 2).empty());
    x.pop_back();
    x.erase(x.begin() + 50);
    CHECK(found(x, 1, 0.0174, 2).size() == 2);
    CHECK(found(x, 0, 0.0174, 2).size() == 2);
}

TEST_CASE("a pair at exactly the linking length is linked")
{
    Places x;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            for (int k = 0; k < 8; ++k)
                x.push_back({0.125 * i, 0.125 * j, 0.125 * k});
    for (double side : {0.0, 1.0}) {
        CHECK(found(x, side, 0.125, 2).size() == 1);
        CHECK(found(x, side, std::nextafter(0.125, 0), 2).empty());
    }
}

TEST_CASE("groups do not depend on the periodic image of a particle")
{
    Places x = clumps(597, 4, 3);
    const auto reference = found(x, 4, 0.2, 2);
    Random random(5);
    for (Vec3<double>& p : x)
        p += Vec3<double>{4 * std::floor(random(-2, 3)), 4 * std::floor(random(-2, 3)), 0};
    CHECK(found(x, 4, 0.2, 2) == reference);
}

TEST_CASE("groups and group order match for any number of threads")
{
    const Places x = clumps(60000, 1, 11);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const ParticleGroups one = friends_of_friends(x, {1}, 0.2 / std::cbrt(60000), 5);
    CHECK(one.size() > 100);
    for (int t : {2, 3, 8}) {
        omp_set_num_threads(t);
        const ParticleGroups many = friends_of_friends(x, {1}, 0.2 / std::cbrt(60000), 5);
        CHECK(many.first == one.first);
        CHECK(many.members == one.members);
    }
    omp_set_num_threads(threads);
}

TEST_CASE("groups work for coincident particles, a single particle and none")
{
    const Places same(5000, {0.5, 0.5, 0.5});
    CHECK(found(same, 1, 1e-3, 2).at(0).size() == 5000);
    CHECK(found(same, 0, 1e-3, 2).at(0).size() == 5000);
    CHECK(found({{0.5, 0.5, 0.5}}, 1, 0.1, 1).size() == 1);
    CHECK(found({}, 1, 0.1, 1).empty());
    CHECK(found({}, 0, 0.1, 1).empty());
}

TEST_CASE("invalid groupings are refused")
{
    const auto fault = [](const Places& x, double side, double length) {
        try {
            friends_of_friends(x, {side}, length, 1);
        } catch (const Error& error) {
            return int(error.fault());
        }
        return 0;
    };
    const Places x{{0, 0, 0}, {1, 1, 1}};
    CHECK(fault(x, 1, 0) == 2);
    CHECK(fault(x, 1, NAN) == 2);
    CHECK(fault(x, 1, 0.51) == 2);
    CHECK(fault(x, 0, 1e-7) == 2);
    CHECK(fault(x, 0, 1e9) == 0);
    CHECK(fault({{0, NAN, 0}}, 1, 0.1) == 3);
}

TEST_SUITE_END();
