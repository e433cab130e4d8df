// Properties of groups: equal for all clusters and threads; clusters consist of whole groups.
#include <cmath>

#include <doctest/doctest.h>
#include <omp.h>

#include "tests/unit/grouped_tree.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("groups");

TEST_CASE("clusters contain whole groups; groups do not depend on clusters or threads")
{
    for (const Particles& p : {plummer(20011), two_clumps(20011), clouds()[1]})
        for (const bool all : {true, false}) {
            const std::vector<Index> active = all ? std::vector<Index>() : every_third(p.size());
            const int threads = omp_get_max_threads();
            omp_set_num_threads(1);
            const GroupedTree one(p, {32, 1}, active);
            omp_set_num_threads(3);
            const GroupedTree many(p, {32, 12}, active);
            omp_set_num_threads(threads);
            REQUIRE(one.groups.groups.size() == many.groups.groups.size());
            std::size_t equal = 0;
            for (std::size_t g = 0; g < one.groups.groups.size(); ++g)
                equal += one.groups.groups[g].begin == many.groups.groups[g].begin &&
                         one.groups.groups[g].center == many.groups.groups[g].center;
            CHECK(equal == one.groups.groups.size());
            CHECK(2 * many.groups.clusters.size() < one.groups.clusters.size());
            Index at = 0;
            for (const Cluster& cluster : many.groups.clusters) {
                CHECK(cluster.first_group == at);
                CHECK(cluster.last_group > at);
                at = cluster.last_group;
                Box box;
                for (Index g = cluster.first_group; g < at; ++g)
                    box.add(many.groups.groups[g].box);
                CHECK(cluster.center == box.center());
                CHECK(std::abs(cluster.radius - farthest_corner(box, box.center())) <=
                      1e-14 * cluster.radius);
            }
            CHECK(at == many.groups.groups.size());
        }
}

TEST_CASE("groups with few targets span few particles per target")
{
    const Particles p = plummer(20011);
    std::vector<Index> active;
    for (Index i = 0; i < p.size(); i += 251)
        active.push_back(i);
    const int group = 8, min = 4, sparse = 40;
    const auto wide_groups = [&](GroupSizes sizes) {
        const GroupedTree forest(p, sizes, active);
        std::size_t wide = 0, targets = 0;
        for (const Group& g : forest.groups.groups) {
            const int count = int(g.end - g.begin);
            const auto span = int(forest.groups.target(g.end - 1) - forest.groups.target(g.begin));
            wide += span >= std::max(4 * group, count <= min ? sparse * count : 0);
            targets += std::size_t(count);
        }
        CHECK(targets == active.size());
        return wide;
    };
    CHECK(wide_groups({group, 4, Box::infinity, min, sparse}) == 0);
    CHECK(wide_groups({group, 4, Box::infinity, min}) > 4);
    CHECK(wide_groups({group, 4}) > 4);
}

TEST_SUITE_END();
