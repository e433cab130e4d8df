/// \file  Groups of neighboring active particles that share an interaction list, and clusters of
/// groups that share a walk of the tree.
#pragma once

#include <algorithm>
#include <functional>
#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/tree/pieces.hpp"

namespace chamomile {

/// Targets begin .. end - 1 of TargetGroups.
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
    /// Of all particles in the cells, targets or not.
    double mass;
    Vec3<double> center_of_mass;
    double extent; ///< root mean square distance from the center of mass

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

/// The range of eps^2, the squared per-particle softening lengths, of some targets. Two steps
/// divide it: step 0 from `min` to `inner`, step 1 from `inner` to `largest`.
struct SofteningSpan {
    double min = 0, largest = 0;
    double inner = 0; ///< second largest value; `min` if all are equal

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

    /// Returns whether a step is not empty.
    CHAMOMILE_HD bool has_step(int step) const { return step == 0 ? min < inner : inner < largest; }

    /// Returns the fraction, 0 to 1, of a step that lies below eps2.
    CHAMOMILE_HD double part(int step, double eps2) const
    {
        const double from = step == 0 ? min : inner, to = step == 0 ? inner : largest;
        return eps2 <= from || !(from < to) ? 0 : to <= eps2 ? 1 : (eps2 - from) / (to - from);
    }
};

/// Groups and clusters of one Piece, numbered from 0 within it.
struct alignas(64) GroupPart { // no two share a cache line
    std::vector<Group> groups;
    std::vector<Cluster> clusters;
};

/// The targets of an evaluation and their groups. A sorted place is an index into the key-sorted
/// particles of the octree.
struct TargetGroups {
    std::pmr::vector<Group> groups;
    std::pmr::vector<Cluster> clusters;
    std::span<const Index> targets; ///< sorted places of active particles, rising; empty: all
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
    /// Returns the sorted place of target t.
    Index target(std::size_t t) const { return targets.empty() ? Index(t) : targets[t]; }
};

/// Returns the targets in a cell with absent particles.
using TargetsElsewhere = std::function<TargetRange(Index cell)>;

/// A cluster's box may be longer than a group's by this factor.
inline constexpr double clusters_to_groups = 2;

/// Max sizes of groups. A group holds at most `group` targets among 4 * `group` particles. If it
/// has at most `few` targets, `sparse` particles per target are also allowed. The limits of a
/// cluster are `cluster` times as large. Without limits of particles, groups of few active
/// particles would be wide and their lists long.
struct GroupSizes {
    int group;
    int cluster = 1;
    double longest_side = Box::infinity; ///< of a group's box, unless it has a single target
    int few = 1 << 30;
    std::uint64_t sparse = 1ull << 32;

    /// Returns the max number of targets in a cluster.
    std::uint64_t of_cluster() const { return std::uint64_t(group) * std::uint64_t(cluster); }
    PieceLimits limits_of_groups() const
    {
        const std::uint64_t max = std::uint64_t(group);
        return {max, 4 * max, std::uint64_t(few), sparse, longest_side};
    }
    PieceLimits limits_of_clusters() const
    {
        return {of_cluster(), 4 * of_cluster(), std::uint64_t(cluster) * std::uint64_t(few), sparse,
                clusters_to_groups * longest_side};
    }
    /// Limits for about `parts` pieces of these targets and particles. Pieces may be fewer, because
    /// no cluster extends over two.
    PieceLimits limits_of_pieces(std::uint64_t targets, std::uint64_t particles,
                                 std::uint64_t parts) const
    {
        const std::uint64_t all = std::max<std::uint64_t>(of_cluster(), targets / parts);
        return {all, std::max<std::uint64_t>(4 * all, particles / (4 * parts)),
                std::uint64_t(cluster) * std::uint64_t(few), sparse, Box::infinity};
    }
};

/// Finds the sorted places of the active particles (caller's indices; empty: all), each once, in
/// ascending order. `rank`, the sorted place of each particle, may replace the octree's order.
/// Throws Error(input) for an index that is too large.
void find_targets(TargetGroups& groups, const Octree& octree, std::span<const Index> active,
                  std::span<const Index> rank = {});

/// Cuts the targets along the sorted order into groups: the largest cells within the limits, with
/// sisters joined if they fit. Clusters are cut by the same rules and do not affect the groups.
/// Boxes are copied from the cells, so find_boxes() must follow if some are wide
/// (has_wide_boxes()).
void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes);

/// A piece of the tree with its targets: a cell, or its daughters at octants first_octant ..
/// end_octant - 1. It becomes a group or a cluster, or is the work of one thread or rank.
template <class Range>
struct PieceOf {
    Index cell, first_octant, end_octant; ///< end_octant 0: the cell itself
    Range targets;
    Box box; ///< around all particles of the piece
};
using Piece = PieceOf<TargetRange>;

/// Like cut_groups() above, with the tree already cut into `pieces`, which hold all targets in
/// order. `elsewhere`: finds the targets of cells with absent particles.
void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes, std::span<const Piece> pieces,
                const TargetsElsewhere& elsewhere = {});

/// Returns whether the box of any group may be wider than its targets, so that find_boxes() is
/// needed.
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

} // namespace chamomile
