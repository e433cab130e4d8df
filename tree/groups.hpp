/// \file  Groups of neighboring active particles that share an interaction list, in clusters.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/tree/pieces.hpp"

namespace chamomile {

/// Targets begin .. end in the numbering of this step.
struct Group {
    Index begin, end;
    Vec3<double> center; ///< box center, origin of single-precision coordinates
    Box box;             ///< tight around the targets
    double radius;       ///< distance from the center to a corner

    CHAMOMILE_HD void set_box(const Box& of_targets)
    {
        box = of_targets;
        center = box.center();
        radius = box.farthest_distance(center);
    }
};

/// A range of groups that fill a cell or a block of sister cells, and share a walk of the tree.
struct Cluster {
    Index first_group, last_group; ///< `last_group` is excluded
    Vec3<double> center;           ///< box center
    Box box;                       ///< tight around the targets
    double radius;                 ///< distance from the center to a corner
    /// Mass, center of mass, and root mean square distance from it, over all particles in the
    /// cells.
    double mass;
    Vec3<double> center_of_mass;
    double extent;

    /// Returns a cluster without a box. `m`: multipole of its cells.
    static CHAMOMILE_HD Cluster of(Index first, Index last, const Multipole& m)
    {
        const double trace = m.second.xx + m.second.yy + m.second.zz,
                     extent = m.mass > 0 ? sqrt(trace / m.mass) : 0;
        return {first, last, {}, {}, 0, m.mass, m.center, extent};
    }
    CHAMOMILE_HD void set_box(const Box& of_targets)
    {
        box = of_targets;
        center = box.center();
        radius = box.farthest_distance(center);
    }
};

/// A range of eps^2, the squared per-particle softening lengths.
struct SofteningSpan {
    double min = 0, largest = 0;
    double inner = 0; ///< largest value below `largest`, or `least`

    static CHAMOMILE_HD SofteningSpan of_one(double eps2) { return {eps2, eps2, eps2}; }

    /// Extends the span to include `other`.
    CHAMOMILE_HD void join(const SofteningSpan& other)
    {
        const bool more = largest < other.largest;
        const SofteningSpan &high = more ? other : *this, &low = more ? *this : other;
        min = min < other.min ? min : other.min;
        const double below = low.largest < high.largest ? low.largest : low.inner,
                     own = high.inner < high.largest ? high.inner : min;
        inner = below < high.largest && own < below ? below : own;
        largest = high.largest;
    }

    double half() const { return 0.5 * (largest - min); }

    /// Returns whether step 0 (`least` to `inner`) or step 1 (`inner` to `largest`) is not empty.
    CHAMOMILE_HD bool has_step(int step) const { return step == 0 ? min < inner : inner < largest; }

    /// Returns the fraction, 0 to 1, of step 0 (`least` to `inner`) or step 1 (`inner` to
    /// `largest`) that lies below eps2.
    CHAMOMILE_HD double part(int step, double eps2) const
    {
        const double from = step == 0 ? min : inner, to = step == 0 ? inner : largest;
        return eps2 <= from || !(from < to) ? 0 : to <= eps2 ? 1 : (eps2 - from) / (to - from);
    }
};

/// Groups and clusters in one part of the tree, numbered from 0.
struct alignas(64) GroupPart { // no two share a cache line
    std::vector<Group> groups;
    std::vector<Cluster> clusters;
};

/// The targets of an evaluation and their groups.
struct TargetGroups {
    std::pmr::vector<Group> groups;
    std::pmr::vector<Cluster> clusters;
    std::span<const Index> targets; ///< sorted places of active particles; empty: all
    std::size_t target_count = 0;
    std::vector<Index> found;          ///< memory for `targets`, which may also point elsewhere
    std::vector<char> is_target;       ///< per particle, during find_targets()
    std::vector<GroupPart> parts;      ///< during cut_groups()
    std::vector<double> accelerations; ///< Walk::scaled_acceleration() of clusters, if known
    /// Softening of the targets in each; empty: all particles share one length.
    std::vector<SofteningSpan> group_softening, cluster_softening;

    /// Groups and clusters use `memory` (TreeBuilder::memory()).
    explicit TargetGroups(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : groups(memory), clusters(memory)
    {}
    TargetGroups(TargetGroups&&) = default;
    TargetGroups& operator=(TargetGroups&&) = default;

    void take(std::span<const Index> active)
    {
        targets = active;
        target_count = active.size();
    }
    Index target(std::size_t t) const { return targets.empty() ? Index(t) : targets[t]; }
};

/// A cluster's box may be longer than a group's by this factor.
inline constexpr double clusters_to_groups = 2;

/// Max sizes: `group` targets in a group, and `cluster` times as many in a cluster. A group may
/// hold up to 4 `group` particles, or `sparse` particles per target if it has at most `least`
/// targets; limits of a cluster are `cluster` times larger. Without these limits, groups of few
/// active particles would be wide and their lists long.
struct GroupSizes {
    int group;
    int cluster = 1;
    double longest_side = Box::infinity; ///< of a group's box, unless it has a single target
    int min = 1 << 30;
    std::uint64_t sparse = 1ull << 32;

    /// Returns the max number of targets in a cluster.
    std::uint64_t of_cluster() const { return std::uint64_t(group) * std::uint64_t(cluster); }
    PieceLimits limits_of_groups() const
    {
        const std::uint64_t max = std::uint64_t(group);
        return {max, 4 * max, std::uint64_t(min), sparse, longest_side};
    }
    PieceLimits limits_of_clusters() const
    {
        return {of_cluster(), 4 * of_cluster(), std::uint64_t(cluster) * std::uint64_t(min), sparse,
                clusters_to_groups * longest_side};
    }
};

/// Finds the sorted places of the active particles (caller's indices; empty: all), each once, in
/// ascending order. `rank`, the sorted place of each particle, may replace the octree's order.
/// Throws Error(input) for an index that is too large.
void find_targets(TargetGroups& groups, const Octree& octree, std::span<const Index> active,
                  std::span<const Index> rank = {});

/// Cuts the targets along the sorted order into groups: the highest cells that are small enough,
/// with sisters joined if they fit. Clusters are cut likewise and do not affect the groups. Boxes
/// are copied from the cells.
void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes);

/// A range of targets: those in a cell, or in its daughters at octants first .. last.
struct Piece {
    Index cell, first_octant, last_octant; ///< octants 0 .. 0: the cell itself
    TargetRange targets;
    Box box; ///< around all particles there
};

/// Cuts all particles into pieces, in tree order. Only a leaf may exceed `most` particles. Pieces
/// hold whole clusters if `most` is at least GroupSizes::of_cluster(). Reads only the bounds in
/// `moments`.
std::vector<Piece> cut_pieces(const Octree& octree, const Moments& moments, std::uint64_t max);

/// Cuts the targets of `groups` into about `parts` pieces, in tree order. Pieces hold whole
/// clusters, hence may be fewer. Reads only the bounds in `moments`.
std::vector<Piece> cut_target_pieces(const TargetGroups& groups, const Octree& octree,
                                     const Moments& moments, GroupSizes sizes, std::uint64_t parts);

/// Like cut_groups() above, but cuts only `pieces`, which hold all targets in order.
void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes, std::span<const Piece> pieces);

/// Returns whether the box of any group may be wider than its targets.
bool has_wide_boxes(const TargetGroups& groups, double longest_side);

/// Makes wide boxes tight around their targets, from the octree's sources.
void find_boxes(TargetGroups& groups, const Octree& octree, double longest_side);

/// Fills centers, radii and cluster boxes from the group boxes.
void finish_groups(TargetGroups& groups);

/// Fills the softening of groups and clusters. `softening`: eps^2 of all sorted particles; empty:
/// clears both.
void find_softenings(TargetGroups& groups, std::span<const double> softening);

/// Fills the softening of clusters from their groups.
void join_softenings(TargetGroups& groups);

/// Finds the targets and makes their groups. The octree must have its order and sources.
inline void make_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                        std::span<const Index> active, GroupSizes sizes)
{
    find_targets(groups, octree, active);
    cut_groups(groups, octree, moments, sizes);
    find_boxes(groups, octree, sizes.longest_side);
    finish_groups(groups);
}

} // namespace chamomile
