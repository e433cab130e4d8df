/// \file  Groups of neighbouring active particles; one interaction list serves each.
#pragma once

#include <span>
#include <vector>

#include "tree/moments.hpp"

namespace chamomile {

/// Targets begin .. end of the step's target numbering.
struct Group {
    Index begin, end;
    Vec3<double> center; ///< of the box; single-precision coordinates are taken about it
    Box box;             ///< tight around the targets
};

/// The targets of one evaluation and their groups.
struct TargetGroups {
    std::vector<Group> groups;
    std::vector<Index> targets; ///< sorted particles that are active; empty: all, in sorted order

    std::size_t target_count = 0;
    Index target(std::size_t t) const { return targets.empty() ? Index(t) : targets[t]; }
};

/// Cuts the active particles (the caller's indices; empty: all) along the sorted order into groups
/// of at most group_size: the highest cells that are small enough, sisters joined where they fit.
void make_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                 std::span<const Index> active, int group_size);

} // namespace chamomile
