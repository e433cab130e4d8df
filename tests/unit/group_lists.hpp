/// \file  The contents of a group's list, and the list from a plain walk.
#pragma once

#include <algorithm>

#include "chamomile/tree/walk.hpp"
#include "chamomile/tree/walk_decisions.hpp"
#include "tests/unit/grouped_tree.hpp"

namespace chamomile::tests {

/// A GroupList holds a group's interactions: single particles (sorted), and three kinds of cells.
struct GroupList {
    std::vector<Index> particles, cells, far, cluster_far;
};

inline GroupList group_list(const InteractionLists& lists, const ListRow& row)
{
    GroupList list;
    const auto part = [](const auto& of, Index begin, Index end) {
        std::vector<Index> entries(of.begin() + begin, of.begin() + end);
        std::sort(entries.begin(), entries.end());
        return entries;
    };
    for (Index r = row.range_begin; r < row.range_end; ++r) {
        const Index end = r + 1 < row.range_end ? lists.ranges[r + 1].before : row.particle_count;
        for (Index k = 0; k < end - lists.ranges[r].before; ++k)
            list.particles.push_back(lists.ranges[r].first + k);
    }
    list.cells = part(lists.cells, row.cell_begin, row.cell_end);
    list.far = part(lists.far_cells, row.far_begin, row.far_end);
    if (row.cluster != no_cluster) {
        const ClusterRow& cluster = lists.clusters[row.cluster];
        list.cluster_far = part(lists.far_cells, cluster.far_begin, cluster.far_end);
    }
    return list;
}

/// Finishes an open list cell by cell, in double.
template <class Region>
void finish(GroupList& list, const InteractionLists& lists, const ListRow& row,
            const GroupedTree& f, const WalkNodes& nodes, const AcceptanceCriterion& criterion)
{
    const Region region(lists.regions[std::size_t(&row - lists.rows.data())],
                        {criterion.periodicity, criterion.cut});
    const ClusterRow& cluster = lists.clusters[row.cluster];
    std::vector<Index> stack(lists.open.begin() + cluster.open_begin,
                             lists.open.begin() + cluster.open_end);
    while (!stack.empty()) {
        const WalkNode& node = nodes.nodes[stack.back() / WalkNode::width];
        const int k = int(stack.back() % WalkNode::width);
        stack.pop_back();
        const walk::CellsSeen<double> seen{
            {node.x[k], node.y[k], node.z[k]}, node.min[k], node.relative[k], node.expansion[k]};
        const walk::Decisions d = walk::decide(seen, region);
        const Cell& cell = f.octree.cells[node.cell[k]];
        if (d.left_out)
            continue;
        if (d.accepted)
            (d.far ? list.far : list.cells).push_back(node.cell[k]);
        else if (node.node[k] == no_node)
            for (Index i = 0; i < cell.count; ++i)
                list.particles.push_back(cell.begin + i);
        else
            for (int d = 0; d < WalkNode::width; ++d)
                if (nodes.nodes[node.node[k]].lanes >> d & 1)
                    stack.push_back(lane_of_node(node.node[k], d));
    }
}

inline GroupList finished_list(const InteractionLists& lists, const ListRow& row,
                               const GroupedTree& f, const WalkNodes& nodes,
                               const AcceptanceCriterion& criterion)
{
    GroupList list = group_list(lists, row); // the cluster's cells
    if (criterion.periodicity)
        finish<walk::PeriodicRegion<double>>(list, lists, row, f, nodes, criterion);
    else
        finish<walk::Region<double>>(list, lists, row, f, nodes, criterion);
    for (auto* part : {&list.particles, &list.cells, &list.far})
        std::sort(part->begin(), part->end());
    return list;
}

/// Walks for one group, cell by cell (Barnes 1990 with the opening radius of Barnes 1995).
inline GroupList plain_walk(const GroupedTree& f, const Group& group, double theta,
                            double clearance)
{
    GroupList list;
    for (Index c = 0; c < f.octree.cells.size();) {
        const Cell& cell = f.octree.cells[c];
        const Box& box = f.moments.bounds[c];
        const Vec3<double> center = f.moments.multipole[c].center;
        const double radius = std::max(box.longest_side() / theta + norm(center - box.center()),
                                       box.farthest_distance(center) + clearance);
        if (group.box.distance_squared(center) > radius * radius) {
            list.cells.push_back(c);
            c = cell.next;
            continue;
        }
        if (f.octree.is_leaf(c))
            for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
                list.particles.push_back(k);
        ++c;
    }
    return list;
}

inline bool every_particle_once(const GroupedTree& f, const GroupList& list)
{
    std::vector<int> seen(f.octree.order.size());
    for (Index k : list.particles)
        ++seen[k];
    for (const auto* cells : {&list.cells, &list.far, &list.cluster_far})
        for (Index c : *cells)
            for (Index k = 0; k < f.octree.cells[c].count; ++k)
                ++seen[f.octree.cells[c].begin + k];
    return std::count(seen.begin(), seen.end(), 1) == std::ptrdiff_t(seen.size());
}

} // namespace chamomile::tests
