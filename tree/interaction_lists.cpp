#include "tree/interaction_lists.hpp"

#include <cmath>

namespace chamomile {
namespace {

/// The row of the next list, its ends still open.
ListRow open_row(const InteractionLists& lists, const Group& group)
{
    ListRow row{};
    row.target_begin = group.begin;
    row.target_end = group.end;
    row.cluster = no_cluster;
    row.far_begin = row.far_end = Index(lists.far_cells.size());
    row.cell_begin = Index(lists.cells.size());
    row.range_begin = Index(lists.ranges.size());
    row.center = group.center;
    row.radius = norm(group.box.high - group.center);
    return row;
}

void close_row(InteractionLists& lists, ListRow row)
{
    row.cell_end = Index(lists.cells.size());
    row.range_end = Index(lists.ranges.size());
    lists.rows.push_back(row);
}

} // namespace

void list_interactions(InteractionLists& lists, std::span<const WalkCell> walk,
                       std::span<const Group> groups)
{
    for (const Group& group : groups) {
        ListRow row = open_row(lists, group);
        Index last_end = 0; // of the range listed last; leaves that touch share one range
        for (Index c = 0; c < walk.size();) {
            const WalkCell& w = walk[c];
            if (group.box.distance_squared(w.center) > w.opening_radius_squared) {
                lists.cells.push_back(c);
                c = w.cell.next;
                continue;
            }
            ++c;
            if (w.cell.next != c) // opened; its daughters follow
                continue;
            if (row.particle_count == 0 || w.cell.begin != last_end)
                lists.ranges.push_back({w.cell.begin, row.particle_count});
            row.particle_count += w.cell.count;
            last_end = w.cell.begin + w.cell.count;
        }
        close_row(lists, row);
    }
}

void list_all_particles(InteractionLists& lists, Index n, std::span<const Group> groups)
{
    for (const Group& group : groups) {
        ListRow row = open_row(lists, group);
        lists.ranges.push_back({0, 0});
        row.particle_count = n;
        // The box and about one mean distance of its particles around it.
        const double spacing =
            group.box.longest_side() / std::cbrt(double(group.end - group.begin));
        row.near_reach = group.box.high - group.center + Vec3<double>{spacing, spacing, spacing};
        close_row(lists, row);
    }
}

} // namespace chamomile
