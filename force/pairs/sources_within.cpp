#include "chamomile/force/pairs/sources_within.hpp"

namespace chamomile {

std::vector<Index> sources_within(const Octree& octree, const Moments& moments,
                                  const Vec3<double>& place, double limit)
{
    std::vector<Index> found;
    for (Index c = 0; c < octree.cells.size();) {
        const Cell& cell = octree.cells[c];
        if (moments.bounds[c].distance_squared(place) > limit) {
            c = cell.next;
            continue;
        }
        if (octree.is_leaf(c))
            for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
                if (norm_squared(octree.sources[k].position - place) <= limit)
                    found.push_back(octree.order[k]);
        ++c;
    }
    return found;
}

} // namespace chamomile
