#include "chamomile/tree/groups.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Cuts the tree into pieces within the limits, in order. Only a leaf may exceed the limits.
class PieceCutter {
public:
    PieceCutter(const TargetGroups& groups, const Octree& octree, const Moments& moments,
                PieceLimits limits)
        : groups_(groups), octree_(octree), moments_(moments), limits_(limits)
    {}

    template <class Add>
    void cut(const Piece& piece, Add add) const
    {
        if (piece.end_octant == 0)
            cut_cell(piece.cell, piece.targets, add);
        else
            cut_block(piece.cell, piece.first_octant, piece.end_octant, piece.targets, add);
    }

    /// Cuts a cell with these targets. Calls add() for each piece.
    template <class Add>
    void cut_cell(Index c, TargetRange targets, Add add) const
    {
        if (!limits_.fit(targets.count(), octree_.cells[c].count, moments_.bounds[c]) &&
            !octree_.is_leaf(c))
            cut_block(c, 0, 8, targets, add);
        else if (targets.count() > 0)
            add(Piece{c, 0, 0, targets, moments_.bounds[c]});
    }

    Multipole whole(const Piece& piece) const
    {
        if (piece.end_octant == 0)
            return moments_.multipole[piece.cell];
        Multipole whole;
        const Index end = octree_.cells[piece.cell].next;
        for (Index d = piece.cell + 1; d < end; d = octree_.cells[d].next)
            if (const Index octant = octree_.cells[d].octant;
                octant >= piece.first_octant && octant < piece.end_octant)
                whole = joint(whole, moments_.multipole[d]);
        return whole;
    }

private:
    /// Cuts a cell's daughters at octants first .. last: one piece if they fit, else two halves.
    /// Octants are halved along x, then y, then z, so that the box of a block contains no part of
    /// another sister. `last` is excluded. `within` contains the block's targets.
    template <class Add>
    void cut_block(Index mother, Index first, Index last, TargetRange within, Add add) const
    {
        assert(first < last && last <= 8 && within.begin <= within.end);
        Sisters sisters;
        Index daughter = 0;
        for (Index d = mother + 1; d < octree_.cells[mother].next; d = octree_.cells[d].next) {
            const Cell& cell = octree_.cells[d];
            if (cell.octant < first || cell.octant >= last)
                continue;
            const TargetRange targets{targets_before(cell.begin, within),
                                      targets_before(cell.begin + cell.count, within)};
            within.begin = targets.end;
            sisters.add(cell.count, moments_.bounds[d], targets);
            if (targets.count() > 0)
                daughter = d;
        }
        if (sisters.targets.count() == 0)
            return;
        if (sisters.are_one_piece(limits_)) {
            add(Piece{mother, first, last, sisters.targets, sisters.box});
        } else if (last - first == 1) {
            cut_cell(daughter, sisters.targets, add);
        } else {
            const Index middle = (first + last) / 2;
            cut_block(mother, first, middle, sisters.targets, add);
            cut_block(mother, middle, last, sisters.targets, add);
        }
    }

    /// Returns the number of targets among the sorted particles before k. The result lies in
    /// `range`.
    Index targets_before(Index k, TargetRange range) const
    {
        if (groups_.targets.empty())
            return k;
        const auto first = groups_.targets.begin();
        return Index(std::lower_bound(first + range.begin, first + range.end, k) - first);
    }

    const TargetGroups& groups_;
    const Octree& octree_;
    const Moments& moments_;
    PieceLimits limits_;
};

/// Cuts pieces into clusters, and clusters into groups.
struct PartCutter {
    std::vector<Group>& groups;
    std::vector<Cluster>& clusters;

    void cut(const Piece& piece, const PieceCutter& to_clusters, const PieceCutter& to_groups,
             GroupSizes sizes)
    {
        to_clusters.cut(piece, [&](const Piece& cluster) {
            const Index first = Index(groups.size());
            to_groups.cut(cluster, [&](const Piece& group) { add(group, sizes); });
            // Only a leaf of coincident particles is too large for one cluster.
            const Index count = Index(groups.size()) - first;
            const bool fits = cluster.targets.count() <= sizes.of_cluster();
            const Index step = fits ? count : Index(sizes.cluster);
            for (Index g = first; g < groups.size(); g += step)
                add_cluster(to_clusters.whole(cluster), g, step);
        });
    }

private:
    /// Adds the piece as one group. Cuts a leaf of too many coincident particles into groups of
    /// nearly equal size, and a leaf with too long a box into groups of one target.
    void add(const Piece& piece, const GroupSizes& sizes)
    {
        assert(piece.targets.begin < piece.targets.end);
        const LeafCuts cuts(piece.targets, piece.box, Index(sizes.group), sizes.longest_side);
        for (Index p = 0; p < cuts.parts; ++p)
            groups.push_back({cuts.begin(p), cuts.begin(p + 1), {}, piece.box, 0});
    }

    void add_cluster(const Multipole& m, Index first, Index count)
    {
        const Index last = std::min(Index(groups.size()), first + count);
        clusters.push_back(Cluster::of(first, last, m));
    }
};

/// Returns whether a group's box may be wider than its targets: cells may hold further particles,
/// and a group that was cut for its length keeps the box of its leaf.
bool may_be_wide(const Group& group, const TargetGroups& groups, double longest_side)
{
    return !groups.targets.empty() || group.box.longest_side() > longest_side;
}

} // namespace

bool has_wide_boxes(const TargetGroups& groups, double longest_side)
{
    return !groups.targets.empty() ||
           (longest_side < Box::infinity &&
            std::any_of(groups.groups.begin(), groups.groups.end(), [&](const Group& group) {
                return may_be_wide(group, groups, longest_side);
            }));
}

void find_targets(TargetGroups& groups, const Octree& octree, std::span<const Index> active,
                  std::span<const Index> rank)
{
    const std::size_t n = octree.size;
    std::vector<Index>& found = groups.found;
    groups.targets = {};
    groups.target_count = n;
    if (active.empty())
        return;
    const auto refuse = [n](Index i) {
        throw Error(Fault::input, "active particles: index: " + std::to_string(i) +
                                      ": must be below " + std::to_string(n));
    };
    if (!rank.empty() && active.size() < n / 1024) {
        found.clear();
        for (const Index i : active) {
            if (i >= n)
                refuse(i);
            found.push_back(rank[i]);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return groups.take(found);
    }
    // Marks targets by sorted place if `rank` is known, else by particle.
    std::vector<char>& marked = groups.is_target;
    marked.assign(n, 0);
    Index highest = 0;
#pragma omp parallel for if (active.size() > worth_threads) reduction(max : highest)
    for (std::size_t k = 0; k < active.size(); ++k) { // a particle may be named twice
        const Index i = active[k];
        highest = std::max(highest, i);
        if (i < n)
            std::atomic_ref(marked[rank.empty() ? i : rank[i]]).store(1, std::memory_order_relaxed);
    }
    if (highest >= n)
        refuse(highest);

    if (rank.empty())
        list_where(
            n, [&](std::size_t k) { return marked[octree.order[k]]; }, found);
    else
        list_where(
            n, [&](std::size_t k) { return marked[k]; }, found);
    assert(std::is_sorted(found.begin(), found.end()));
    groups.take(found);
}

std::vector<Piece> cut_pieces(const Octree& octree, const Moments& moments, std::uint64_t max)
{
    std::vector<Piece> pieces;
    const TargetGroups all;
    if (!octree.cells.empty())
        PieceCutter(all, octree, moments, {max, max, 0, 0, Box::infinity})
            .cut_cell(0, {0, octree.cells[0].count},
                      [&](const Piece& piece) { pieces.push_back(piece); });
    return pieces;
}

std::vector<Piece> cut_target_pieces(const TargetGroups& groups, const Octree& octree,
                                     const Moments& moments, GroupSizes sizes, std::uint64_t parts)
{
    const std::uint64_t few = std::uint64_t(sizes.few), cluster = sizes.of_cluster(),
                        all = std::max<std::uint64_t>(cluster, groups.target_count / parts),
                        particles = std::max<std::uint64_t>(4 * all, octree.size / (4 * parts));
    std::vector<Piece> pieces;
    if (!octree.cells.empty())
        PieceCutter(
            groups, octree, moments,
            {all, particles, std::uint64_t(sizes.cluster) * few, sizes.sparse, Box::infinity})
            .cut_cell(0, {0, Index(groups.target_count)},
                      [&](const Piece& piece) { pieces.push_back(piece); });
    return pieces;
}

void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes)
{
    constexpr std::uint64_t parts = 256; // for threads; affects neither groups nor clusters
    cut_groups(groups, octree, moments, sizes,
               cut_target_pieces(groups, octree, moments, sizes, parts));
}

void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes, std::span<const Piece> pieces)
{
    const auto cutter = [&](const PieceLimits& limits) {
        return PieceCutter(groups, octree, moments, limits);
    };
    const PieceCutter to_clusters = cutter(sizes.limits_of_clusters()),
                      to_groups = cutter(sizes.limits_of_groups());
    groups.accelerations.clear();
    std::vector<GroupPart>& parts = groups.parts;
    parts.resize(pieces.size());
#pragma omp parallel for if (groups.target_count > worth_threads) schedule(dynamic, 1)
    for (std::size_t p = 0; p < parts.size(); ++p) {
        parts[p].groups.clear();
        parts[p].clusters.clear();
        PartCutter{parts[p].groups, parts[p].clusters}.cut(pieces[p], to_clusters, to_groups,
                                                           sizes);
    }

    std::vector<Index> first_group{0}, first_cluster{0};
    for (const GroupPart& part : parts) {
        first_group.push_back(first_group.back() + Index(part.groups.size()));
        first_cluster.push_back(first_cluster.back() + Index(part.clusters.size()));
    }
    groups.groups.resize(first_group.back());
    groups.clusters.resize(first_cluster.back());
#pragma omp parallel for if (groups.target_count > worth_threads) schedule(dynamic, 1)
    for (std::size_t p = 0; p < parts.size(); ++p) {
        Index c = first_cluster[p];
        for (Cluster cluster : parts[p].clusters) {
            cluster.first_group += first_group[p];
            cluster.last_group += first_group[p];
            groups.clusters[c++] = cluster;
        }
        std::copy(parts[p].groups.begin(), parts[p].groups.end(),
                  groups.groups.begin() + first_group[p]);
    }
    // Groups must hold every target once, and clusters every group.
    assert(groups.groups.empty() ||
           (groups.groups.front().begin == 0 && groups.groups.back().end == groups.target_count &&
            groups.clusters.back().last_group == groups.groups.size()));
}

void find_boxes(TargetGroups& groups, const Octree& octree, double longest_side)
{
    if (!has_wide_boxes(groups, longest_side))
        return;
#pragma omp parallel for if (groups.target_count > worth_threads) schedule(dynamic, 16)
    for (std::size_t g = 0; g < groups.groups.size(); ++g) {
        Group& group = groups.groups[g];
        if (!may_be_wide(group, groups, longest_side))
            continue;
        group.box = {};
        for (Index t = group.begin; t < group.end; ++t)
            group.box.add(octree.sources[groups.target(t)].position);
    }
}

void finish_groups(TargetGroups& groups)
{
#pragma omp parallel for if (groups.target_count > worth_threads)
    for (std::size_t c = 0; c < groups.clusters.size(); ++c) {
        Cluster& cluster = groups.clusters[c];
        assert(cluster.first_group < cluster.last_group);
        for (Index g = cluster.first_group; g < cluster.last_group; ++g) {
            Group& group = groups.groups[g];
            group.set_box(group.box);
            cluster.box.add(group.box);
        }
        cluster.set_box(cluster.box);
    }
}

void find_softenings(TargetGroups& groups, std::span<const double> softening)
{
    const bool per_particle = !softening.empty();
    groups.group_softening.assign(per_particle ? groups.groups.size() : 0, {});
#pragma omp parallel for if (softening.size() > worth_threads)
    for (std::size_t g = 0; g < groups.group_softening.size(); ++g) {
        const Group& group = groups.groups[g];
        SofteningSpan& span = groups.group_softening[g];
        for (Index t = group.begin; t < group.end; ++t) {
            const double own = softening[groups.target(t)];
            if (t == group.begin)
                span = SofteningSpan::of_one(own);
            span.join(SofteningSpan::of_one(own));
        }
    }
    join_softenings(groups);
}

void join_softenings(TargetGroups& groups)
{
    const bool per_particle = !groups.group_softening.empty();
    groups.cluster_softening.assign(per_particle ? groups.clusters.size() : 0, {});
    for (std::size_t c = 0; c < groups.cluster_softening.size(); ++c) {
        const Cluster& cluster = groups.clusters[c];
        SofteningSpan& span = groups.cluster_softening[c];
        for (Index g = cluster.first_group; g < cluster.last_group; ++g) {
            if (g == cluster.first_group)
                span = groups.group_softening[g];
            span.join(groups.group_softening[g]);
        }
    }
}

} // namespace chamomile
