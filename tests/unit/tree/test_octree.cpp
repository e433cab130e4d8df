// The octree's promises: every particle once, bounded depth, the same cells for any thread count.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/tree/groups.hpp"
#include "tests/unit/grouped_tree.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("octree");

namespace {

Octree octree_of(const Particles& p, int leaf_size)
{
    Octree octree;
    KeySorter sorter;
    build_octree(octree, p.position, p.mass, leaf_size, sorter);
    return octree;
}

int depth_of(const Octree& octree)
{
    std::vector<Index> ends;
    std::size_t depth = 0;
    for (Index c = 0; c < octree.cells.size(); ++c) {
        while (!ends.empty() && ends.back() <= c)
            ends.pop_back();
        ends.push_back(octree.cells[c].next);
        depth = std::max(depth, ends.size());
    }
    return int(depth);
}

void check_cells(const Octree& octree, std::size_t n, Index leaf_size, bool coincident = false)
{
    REQUIRE(octree.cells[0].begin == 0);
    REQUIRE(octree.cells[0].count == n);
    REQUIRE(octree.cells[0].next == octree.cells.size());
    CHECK(std::set<Index>(octree.order.begin(), octree.order.end()).size() == n);
    for (Index c = 0; c < octree.cells.size(); ++c) {
        const Cell& cell = octree.cells[c];
        if (octree.is_leaf(c)) {
            CHECK((coincident || cell.count <= leaf_size));
            continue;
        }
        // Daughters hold the cell's particles consecutively, and no daughter holds all.
        Index at = cell.begin;
        for (Index d = c + 1; d < cell.next; d = octree.cells[d].next) {
            CHECK(octree.cells[d].begin == at);
            CHECK(octree.cells[d].count < cell.count);
            at += octree.cells[d].count;
        }
        CHECK(at == cell.begin + cell.count);
    }
}

bool same_box(const Box& a, const Box& b)
{
    return a.low == b.low && a.high == b.high;
}

/// Sums over a cell's particles, with more digits than the library.
struct Sums {
    long double mass = 0, center[3] = {}, second[6] = {}; // xx, xy, xz, yy, yz, zz
    Box bounds;
};

Sums sums_of(const Octree& octree, const Cell& cell)
{
    Sums sums;
    for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
        const Source& s = octree.sources[k];
        const double x[] = {s.position.x, s.position.y, s.position.z};
        sums.mass += s.mass;
        for (int a = 0; a < 3; ++a)
            sums.center[a] += (long double)s.mass * x[a];
        sums.bounds.add(s.position);
    }
    for (long double& x : sums.center)
        x /= sums.mass;
    for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
        const Source& s = octree.sources[k];
        const long double d[] = {s.position.x - sums.center[0], s.position.y - sums.center[1],
                                 s.position.z - sums.center[2]};
        int field = 0;
        for (int a = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b)
                sums.second[field++] += s.mass * d[a] * d[b];
    }
    return sums;
}

} // namespace

TEST_CASE("cells hold every particle once, whatever the leaf size")
{
    for (std::size_t n : {1, 2, 3, 17, 597, 20011})
        for (int leaf_size : {1, 8, 64})
            check_cells(octree_of(plummer(n), leaf_size), n, Index(leaf_size));
}

TEST_CASE("coincident particles share a leaf and the depth stays bounded")
{
    Particles p = plummer(1000);
    for (std::size_t i = 100; i < 700; ++i)
        p.position[i] = p.position[99];
    const Octree octree = octree_of(p, 8);
    check_cells(octree, 1000, 8, true);
    CHECK(depth_of(octree) < 40);
    bool found = false;
    for (Index c = 0; c < octree.cells.size(); ++c)
        found |= octree.is_leaf(c) && octree.cells[c].count == 601;
    CHECK(found);

    p.position.assign(1000, {1, 2, 3});
    CHECK(octree_of(p, 8).cells.size() == 1);
}

TEST_CASE("an outlier does not push other particles into a single leaf")
{
    Particles p = plummer(4096);
    p.position[5] = {2e9, -1e9, 3e9};
    check_cells(octree_of(p, 8), 4096, 8);
}

TEST_CASE("a non-finite position is refused with its particle number")
{
    Particles p = plummer(100);
    p.position[42].y = std::nan("");
    CHECK_THROWS_WITH_AS(octree_of(p, 8), doctest::Contains("particle 42: position"), Error);
}

TEST_CASE("order and cells are equal for any number of threads")
{
    const Particles p = hernquist(30011);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Octree one = octree_of(p, 8);
    omp_set_num_threads(5);
    const Octree five = octree_of(p, 8);
    omp_set_num_threads(threads);
    CHECK(one.order == five.order);
    REQUIRE(one.cells.size() == five.cells.size());
    for (std::size_t c = 0; c < one.cells.size(); ++c) {
        CHECK(one.cells[c].begin == five.cells[c].begin);
        CHECK(one.cells[c].next == five.cells[c].next);
    }
}

TEST_CASE("moments equal sums over the cell's particles, and boxes touch them")
{
    const Particles p = moved(plummer(3001), 1, {10, 20, 30});
    const Octree octree = octree_of(p, 8);
    Moments moments;
    compute_moments(moments, octree);
    for (Index c = 0; c < octree.cells.size(); ++c) {
        const Sums expected = sums_of(octree, octree.cells[c]);
        const Multipole& m = moments.multipole[c];
        CHECK(m.mass == within(1e-14, double(expected.mass)));
        CHECK(std::abs(double(m.center.x - expected.center[0])) < 1e-13);
        CHECK(std::abs(double(m.center.y - expected.center[1])) < 1e-13);
        CHECK(std::abs(double(m.center.z - expected.center[2])) < 1e-13);
        const double second[] = {m.second.xx, m.second.xy, m.second.xz,
                                 m.second.yy, m.second.yz, m.second.zz};
        // The center is rounded to 4e-15; checks the effect on cells with one particle and on
        // others.
        const double trace = double(expected.second[0] + expected.second[3] + expected.second[5]);
        for (int k = 0; k < 6; ++k)
            CHECK(std::abs(second[k] - double(expected.second[k])) <
                  1e-13 * trace + 1e-27 * m.mass);
        CHECK(same_box(moments.bounds[c], expected.bounds));
    }
}

TEST_CASE("third and fourth moments equal sums over the cell's particles")
{
    const Particles p = moved(plummer(3001), 1, {10, 20, 30});
    const Octree octree = octree_of(p, 8);
    Moments moments, to_second, to_third;
    compute_moments(moments, octree, 4);
    compute_moments(to_third, octree, 3);
    compute_moments(to_second, octree, 2);
    CHECK(to_second.higher.empty());
    REQUIRE(moments.higher.size() == octree.cells.size());
    std::size_t wrong = 0, different = 0;
    for (Index c = 0; c < octree.cells.size(); ++c) {
        const Cell& cell = octree.cells[c];
        const Sums about = sums_of(octree, cell);
        const HigherMoments& higher = moments.higher[c];
        const double side = moments.bounds[c].longest_side();
        CHECK(higher.length <= side);
        CHECK(2 * higher.length >= side);
        int field = 0;
        for (int degree = 3; degree <= 4; ++degree)
            for (int a = degree; a >= 0; --a)
                for (int b = degree - a; b >= 0; --b, ++field) {
                    long double sum = 0;
                    for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
                        const Source& s = octree.sources[k];
                        const int power[] = {a, b, degree - a - b};
                        const double x[] = {s.position.x, s.position.y, s.position.z};
                        long double product = s.mass;
                        for (int axis = 0; axis < 3; ++axis)
                            for (int i = 0; i < power[axis]; ++i)
                                product *= x[axis] - about.center[axis];
                        sum += product;
                    }
                    const double unit = std::pow(higher.length, degree);
                    const double error = std::abs(unit * higher.moment[field] - double(sum));
                    // Centers are rounded to 4e-15.
                    wrong +=
                        error > double(about.mass) * (1e-13 * std::pow(side, degree) +
                                                      2e-14 * std::pow(side, degree - 1) + 1e-40);
                    different +=
                        degree == 3 && to_third.higher[c].moment[field] != higher.moment[field];
                }
        CHECK(field == HigherMoments::count);
    }
    CHECK(wrong == 0);
    CHECK(different == 0);
}

TEST_CASE("groups contain each active particle once")
{
    const Particles p = plummer(5003);
    std::vector<Index> active;
    for (Index i = 0; i < p.size(); i += 3)
        active.push_back(i);
    for (std::span<const Index> targets :
         {std::span<const Index>(), std::span<const Index>(active)}) {
        const GroupedTree forest(p, {64}, targets);
        const TargetGroups& groups = forest.groups;
        REQUIRE(groups.target_count == (targets.empty() ? p.size() : active.size()));
        Index at = 0;
        for (const Group& g : groups.groups) {
            CHECK(g.begin == at);
            CHECK(g.end - g.begin <= 64);
            at = g.end;
            Box box;
            for (Index t = g.begin; t < g.end; ++t)
                box.add(forest.octree.sources[groups.target(t)].position);
            CHECK(same_box(g.box, box));
            CHECK(g.center == box.center());
            CHECK(std::abs(g.radius - norm(box.high - g.center)) <= 1e-14 * g.radius);
        }
        CHECK(at == groups.target_count);
    }
}

TEST_SUITE_END();
