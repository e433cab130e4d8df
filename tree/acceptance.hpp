/// \file  May a cell stand for its particles, as seen from anywhere in a group's box?
#pragma once

#include <vector>

#include "tree/moments.hpp"

namespace chamomile {

/// Barnes & Hut's opening angle, measured from the group's box (Barnes 1990) to the cell's centre
/// of mass and guarded against off-centre cells: accepted beyond l/theta + |center of mass - center
/// of box| (Barnes 1995), l being the longest side of the cell's tight box. In no case is a cell
/// accepted that comes closer than `clearance` to the group's box with any of its particles.
struct AcceptanceCriterion {
    double theta = 0.6;
    double clearance = 0; ///< where the force between particles is not yet the cell's force

    double opening_radius(const Multipole& multipole, const Box& bounds) const
    {
        const double offset = norm(multipole.center - bounds.center());
        return std::max(bounds.longest_side() / theta + offset,
                        bounds.farthest_distance(multipole.center) + clearance);
    }
};

/// What the walk reads of a cell.
struct WalkCell {
    Vec3<double> center;
    double opening_radius_squared;
    Cell cell;
};

/// Entry c belongs to cell c. Reuses the memory of `walk`.
void make_walk_cells(std::vector<WalkCell>& walk, const Octree& octree, const Moments& moments,
                     const AcceptanceCriterion& criterion);

} // namespace chamomile
