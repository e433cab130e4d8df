/// \file  Groups of neighbouring active particles that share one interaction list, in clusters.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/tree/pieces.hpp"

namespace chamomile {

/// A Group holds the targets begin .. end in the numbering of this step.
struct Group {
    Index begin, end;
    Vec3<double> center; ///< of the box; single-precision coordinates are taken about it
    Box box;             ///< tight around the targets
    double radius;       ///< distance from the centre to a corner

    CHAMOMILE_HD void take_box(const Box& of_targets)
    {
        box = of_targets;
        center = box.center();
        radius = box.farthest_distance(center);
    }
};

/// A Cluster is a run of groups that fill a cell or a block of sister cells: they share a walk of
/// the tree.
struct Cluster {
    Index first_group, last_group; ///< the last is not part of it
    Vec3<double> center;           ///< of the box
    Box box;                       ///< tight around the targets
    double radius;                 ///< distance from the centre to a corner
    /// These describe all particles in its cells: mass, centre of mass, and root mean square
    /// distance from it.
    double mass;
    Vec3<double> center_of_mass;
    double extent;

    /// Returns one without a box, whose cells have this multipole.
    static CHAMOMILE_HD Cluster of(Index first, Index last, const Multipole& m)
    {
        const double trace = m.second.xx + m.second.yy + m.second.zz,
                     extent = m.mass > 0 ? sqrt(trace / m.mass) : 0;
        return {first, last, {}, {}, 0, m.mass, m.center, extent};
    }
    CHAMOMILE_HD void take_box(const Box& of_targets)
    {
        box = of_targets;
        center = box.center();
        radius = box.farthest_distance(center);
    }
};

/// A SofteningSpan is a range of eps^2, the squared per-particle softening lengths.
struct SofteningSpan {
    double least = 0, largest = 0;
    double inner = 0; ///< the largest of those below `largest`, or `least`

    static CHAMOMILE_HD SofteningSpan of_one(double eps2) { return {eps2, eps2, eps2}; }

    /// Takes those of other particles in.
    CHAMOMILE_HD void join(const SofteningSpan& other)
    {
        const bool more = largest < other.largest;
        const SofteningSpan &high = more ? other : *this, &low = more ? *this : other;
        least = least < other.least ? least : other.least;
        const double below = low.largest < high.largest ? low.largest : low.inner,
                     own = high.inner < high.largest ? high.inner : least;
        inner = below < high.largest && own < below ? below : own;
        largest = high.largest;
    }

    double half() const { return 0.5 * (largest - least); }

    /// Tells whether there is a step from `least` to `inner`, or from there to `largest`.
    CHAMOMILE_HD bool has_step(int step) const
    {
        return step == 0 ? least < inner : inner < largest;
    }

    /// Returns which part of the step from `least` to `inner`, or of that to `largest`, this eps^2
    /// has behind it.
    CHAMOMILE_HD double part(int step, double eps2) const
    {
        const double from = step == 0 ? least : inner, to = step == 0 ? inner : largest;
        return eps2 <= from || !(from < to) ? 0 : to <= eps2 ? 1 : (eps2 - from) / (to - from);
    }
};

/// A GroupPart holds the groups and clusters of one part of the tree, numbered from 0.
struct alignas(64) GroupPart { // no two share a cache line
    std::vector<Group> groups;
    std::vector<Cluster> clusters;
};

/// TargetGroups holds the targets of one evaluation and their groups.
struct TargetGroups {
    std::pmr::vector<Group> groups;
    std::pmr::vector<Cluster> clusters;
    std::span<const Index> targets; ///< active particles by sorted place; empty: all of them
    std::size_t target_count = 0;
    std::vector<Index> found;          ///< memory for `targets`, which may also lie elsewhere
    std::vector<char> is_target;       ///< of each particle, while the targets are found
    std::vector<GroupPart> parts;      ///< while groups are cut
    std::vector<double> accelerations; ///< Walk::scaled_acceleration() of clusters, if known
    /// The softenings of the targets of each; empty: all particles have one length.
    std::vector<SofteningSpan> group_softening, cluster_softening;

    /// Groups and clusters lie in that memory (TreeBuilder::memory()).
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

/// GroupSizes allows at most `group` targets in a group and `cluster` times as many in a cluster.
/// Groups are cut until they hold no more than 4 `group` particles (clusters likewise), or, with up
/// to `least` targets, `sparse` for each: where few particles are active, groups would otherwise be
/// wide and their lists long.
struct GroupSizes {
    int group;
    int cluster = 1;
    double longest_side = Box::infinity; ///< of a group's box, unless it has a single target
    int least = 1 << 30;
    std::uint64_t sparse = 1ull << 32;

    /// Returns how many targets a cluster has at most.
    std::uint64_t of_cluster() const { return std::uint64_t(group) * std::uint64_t(cluster); }
    PieceLimits limits_of_groups() const
    {
        const std::uint64_t most = std::uint64_t(group);
        return {most, 4 * most, std::uint64_t(least), sparse, longest_side};
    }
    PieceLimits limits_of_clusters() const
    {
        return {of_cluster(), 4 * of_cluster(), std::uint64_t(cluster) * std::uint64_t(least),
                sparse, clusters_to_groups * longest_side};
    }
};

/// Finds the sorted places of the active particles (the caller's indices; empty: all), in ascending
/// order, each once. `rank`, the sorted place of each particle, may stand in for the octree's
/// order. Throws Error(input) for an index that is too large.
void find_targets(TargetGroups& groups, const Octree& octree, std::span<const Index> active,
                  std::span<const Index> rank = {});

/// Cuts the targets along the sorted order into groups: the highest cells that are small enough,
/// with sisters joined where they fit. Clusters are cut in the same way, so that the groups do not
/// depend on them. Boxes are those of the cells.
void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes);

/// A Piece is a range of targets: those of a cell, or of its daughters in octants first .. last.
struct Piece {
    Index cell, first_octant, last_octant; ///< octants 0 .. 0: the cell itself
    TargetRange targets;
    Box box; ///< of all particles there
};

/// Cuts all particles into pieces with at most so many, in the order of the tree, where only a leaf
/// may have more. A piece holds whole clusters if `most` is at least a cluster's number of targets.
/// Of the moments the bounds are read.
std::vector<Piece> cut_pieces(const Octree& octree, const Moments& moments, std::uint64_t most);

/// Cuts the targets of `groups` into pieces, in the order of the tree: about `parts` of them, or
/// fewer, since each holds whole clusters. Of the moments the bounds are read.
std::vector<Piece> cut_target_pieces(const TargetGroups& groups, const Octree& octree,
                                     const Moments& moments, GroupSizes sizes, std::uint64_t parts);

/// Cuts groups as above of these pieces alone, which hold all targets in their order.
void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes, std::span<const Piece> pieces);

/// Returns whether the box of some group may be wider than its targets.
bool has_wide_boxes(const TargetGroups& groups, double longest_side);

/// Makes such boxes tight around the targets, from the octree's sources.
void find_boxes(TargetGroups& groups, const Octree& octree, double longest_side);

/// Fills centres, radii and the boxes of clusters, which follow from the boxes of the groups.
void finish_groups(TargetGroups& groups);

/// Fills the softenings of groups and clusters from those of all particles that targets are among,
/// in sorted order; without any where these are none.
void find_softenings(TargetGroups& groups, std::span<const double> softening);

/// Fills the softenings of clusters from the softenings of groups.
void join_softenings(TargetGroups& groups);

/// Finds the targets and makes their groups, where the octree has its order and sources.
inline void make_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                        std::span<const Index> active, GroupSizes sizes)
{
    find_targets(groups, octree, active);
    cut_groups(groups, octree, moments, sizes);
    find_boxes(groups, octree, sizes.longest_side);
    finish_groups(groups);
}

} // namespace chamomile
