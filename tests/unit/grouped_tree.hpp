/// \file  Trees with groups, and clouds difficult for trees.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "chamomile/tree/walk.hpp"
#include "tests/unit/clouds.hpp"

namespace chamomile::tests {

/// Finds the targets and makes their groups. The octree must have its order and sources.
inline void make_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                        std::span<const Index> active, GroupSizes sizes)
{
    find_targets(groups, octree, active);
    cut_groups(groups, octree, moments, sizes);
    find_boxes(groups, octree, sizes.longest_side);
    finish_groups(groups);
}

/// A GroupedTree is a tree with moments and groups.
struct GroupedTree {
    Octree octree;
    Moments moments;
    TargetGroups groups;

    GroupedTree(const Particles& p, GroupSizes sizes, std::span<const Index> active = {},
                int leaf_size = 8)
    {
        KeySorter sorter;
        build_octree(octree, p.position, p.mass, leaf_size, sorter);
        compute_moments(moments, octree);
        make_groups(groups, octree, moments, active, sizes);
    }
};

/// A GroupedTreeWalk is a walk over a grouped tree, with its nodes.
struct GroupedTreeWalk {
    WalkNodes nodes;
    Walk walk;

    GroupedTreeWalk(const GroupedTree& f, const AcceptanceCriterion& criterion,
                    const std::string& instruction_set = "auto")
        : walk(instruction_set)
    {
        make_walk_nodes(nodes, f.octree, f.moments, criterion);
        walk.prepare(f.octree, nodes, criterion);
    }
};

inline Particles two_clumps(std::size_t n)
{
    Particles p = plummer(n);
    for (std::size_t i = 0; i < n; i += 2)
        p.position[i] = 1e-3 * p.position[i] + Vec3<double>{1e4, 2e3, -5e3};
    return p;
}

inline std::vector<Particles> clouds()
{
    Particles coincident = plummer(3001), outlier = plummer(3001), massless = plummer(597);
    for (std::size_t i = 100; i < 1700; ++i)
        coincident.position[i] = coincident.position[i % 2];
    outlier.position[17] = {1e8, -1e7, 3e7};
    for (std::size_t i = 0; i < 597; i += 3)
        massless.mass[i] = 0;
    Particles nothing = plummer(65);
    nothing.mass.assign(65, 0);
    return {plummer(5003), coincident, outlier,     two_clumps(4001), uniform_cube(2003),
            plummer(1),    plummer(2), plummer(65), massless,         nothing};
}

inline std::vector<Index> every_third(std::size_t n)
{
    std::vector<Index> active;
    for (Index i = 0; i < n; i += 3)
        active.push_back(i);
    return active;
}

inline double farthest_corner(const Box& box, const Vec3<double>& from)
{
    double farthest = 0;
    for (double x : {box.low.x, box.high.x})
        for (double y : {box.low.y, box.high.y})
            for (double z : {box.low.z, box.high.z})
                farthest = std::max(farthest, norm(Vec3<double>{x, y, z} - from));
    return farthest;
}

} // namespace chamomile::tests
