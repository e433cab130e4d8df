#include "chamomile/tree/interaction_lists.hpp"

#include <cmath>

namespace chamomile {

void list_all_particles(InteractionLists& lists, Index n, std::span<const Group> groups)
{
    for (const Group& group : groups) {
        ListRow row{};
        row.target_begin = group.begin;
        row.target_end = group.end;
        row.cluster = no_cluster;
        row.far_begin = row.far_end = Index(lists.far_cells.size());
        row.cell_begin = row.cell_end = Index(lists.cells.size());
        row.range_begin = Index(lists.ranges.size());
        row.range_end = row.range_begin + 1;
        row.particle_count = n;
        row.center = group.center;
        row.radius = group.radius;
        // Reach: the box, plus about one mean particle distance around it.
        const double spacing =
            group.box.longest_side() / std::cbrt(double(group.end - group.begin));
        row.near_distance = group.box.high - group.center + Vec3<double>{spacing, spacing, spacing};
        lists.ranges.push_back({0, 0});
        lists.rows.push_back(row);
    }
}

} // namespace chamomile
