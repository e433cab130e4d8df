// The octree's promises: every particle once, bounded depth, the same cells for any thread count.
#include <set>

#include <doctest/doctest.h>
#include <omp.h>

#include "core/error.hpp"
#include "tests/clouds.hpp"
#include "tree/groups.hpp"
#include "tree/interaction_lists.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("octree");

namespace {

Octree octree_of(const Particles& p, int leaf_size)
{
    Octree octree;
    build_octree(octree, p.position, p.mass, leaf_size, *make_host_key_sorter());
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
        // The daughters hold the cell's particles, one after the other, and none holds them all.
        Index at = cell.begin;
        for (Index d = c + 1; d < cell.next; d = octree.cells[d].next) {
            CHECK(octree.cells[d].begin == at);
            CHECK(octree.cells[d].count < cell.count);
            at += octree.cells[d].count;
        }
        CHECK(at == cell.begin + cell.count);
    }
}

} // namespace

TEST_CASE("cells hold every particle once, whatever the leaf size")
{
    for (std::size_t n : {1, 2, 3, 17, 597, 20011})
        for (int leaf_size : {1, 8, 64})
            check_cells(octree_of(plummer(n), leaf_size), n, Index(leaf_size));
}

TEST_CASE("coincident particles end in one leaf, and the depth stays bounded")
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

TEST_CASE("an outlier does not push the others into one leaf")
{
    Particles p = plummer(4096);
    p.position[5] = {2e9, -1e9, 3e9};
    check_cells(octree_of(p, 8), 4096, 8);
}

TEST_CASE("a position that is not finite is refused by number")
{
    Particles p = plummer(100);
    p.position[42].y = std::nan("");
    CHECK_THROWS_WITH_AS(octree_of(p, 8), doctest::Contains("particle 42: position"), Error);
}

TEST_CASE("order and cells are the same for any number of threads")
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

TEST_CASE("moments equal sums over the cell's particles")
{
    const Particles p = moved(plummer(3001), 1, {10, 20, 30});
    const Octree octree = octree_of(p, 8);
    Moments moments;
    compute_moments(moments, octree);
    for (Index c = 0; c < octree.cells.size(); c += 7) {
        Multipole expected;
        const Index begin = octree.cells[c].begin, end = begin + octree.cells[c].count;
        for (Index k = begin; k < end; ++k) {
            expected.mass += octree.sources[k].mass;
            expected.center += octree.sources[k].mass * octree.sources[k].position;
        }
        expected.center = (1 / expected.mass) * expected.center;
        for (Index k = begin; k < end; ++k)
            expected.second.add(octree.sources[k].mass,
                                octree.sources[k].position - expected.center);
        const Multipole& m = moments.multipole[c];
        CHECK(m.mass == doctest::Approx(expected.mass).epsilon(1e-13));
        CHECK(norm(m.center - expected.center) < 1e-12);
        CHECK(std::abs(m.second.xx - expected.second.xx) < 1e-12);
        CHECK(std::abs(m.second.yz - expected.second.yz) < 1e-12);
        for (Index k = begin; k < end; ++k)
            CHECK(moments.bounds[c].distance_squared(octree.sources[k].position) == 0);
    }
}

TEST_CASE("groups hold each active particle once and lists every particle once")
{
    const Particles p = plummer(5003);
    const Octree octree = octree_of(p, 8);
    Moments moments;
    compute_moments(moments, octree);
    std::vector<Index> active;
    for (Index i = 0; i < p.size(); i += 3)
        active.push_back(i);
    for (std::span<const Index> targets :
         {std::span<const Index>(), std::span<const Index>(active)}) {
        TargetGroups groups;
        make_groups(groups, octree, moments, targets, 64);
        CHECK(groups.target_count == (targets.empty() ? p.size() : active.size()));
        Index at = 0;
        for (const Group& g : groups.groups) {
            CHECK(g.begin == at);
            CHECK(g.end - g.begin <= 64);
            at = g.end;
            for (Index t = g.begin; t < g.end; ++t)
                CHECK(g.box.distance_squared(octree.sources[groups.target(t)].position) == 0);
        }
        CHECK(at == groups.target_count);

        std::vector<WalkCell> walk;
        make_walk_cells(walk, octree, moments, {0.6, 0});
        InteractionLists lists;
        list_interactions(lists, walk, groups.groups);
        for (const ListRow& row : lists.rows) {
            std::size_t seen = row.particle_count;
            for (Index k = row.cell_begin; k < row.cell_end; ++k)
                seen += octree.cells[lists.cells[k]].count;
            CHECK(seen == p.size());
        }
    }
}

TEST_SUITE_END();
