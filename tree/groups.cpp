#include "chamomile/tree/groups.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/piece_cutter.hpp"

namespace chamomile {
namespace {

/// Finds the targets in cells by the sorted places of targets.
class TargetsBySearch {
public:
    using Range = TargetRange;

    TargetsBySearch(const TargetGroups& groups, const Octree& octree,
                    const TargetsElsewhere& elsewhere)
        : groups_(groups), octree_(octree), elsewhere_(elsewhere)
    {}

    /// Returns the targets in a cell. They lie within the range `within`.
    Range in(Index c, Range within) const
    {
        const Cell& cell = octree_.cells[c];
        if (cell.begin >= octree_.size)
            return elsewhere_(c);
        return {before(cell.begin, within), before(cell.begin + cell.count, within)};
    }

private:
    /// Returns the number of targets among the sorted particles before k. The result lies in
    /// `range`.
    Index before(Index k, Range range) const
    {
        if (groups_.targets.empty())
            return k;
        const auto first = groups_.targets.begin();
        return Index(std::lower_bound(first + range.begin, first + range.end, k) - first);
    }

    const TargetGroups& groups_;
    const Octree& octree_;
    const TargetsElsewhere& elsewhere_;
};

using TargetCutter = PieceCutter<TargetsBySearch>;

/// Cuts pieces into clusters, and clusters into groups.
struct PartCutter {
    std::vector<Group>& groups;
    std::vector<Cluster>& clusters;

    void cut(const Piece& piece, const TargetCutter& to_clusters, const TargetCutter& to_groups,
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

void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes)
{
    constexpr std::uint64_t parts = 256; // for threads; affects neither groups nor clusters
    const TargetsElsewhere nowhere;
    const TargetsBySearch targets(groups, octree, nowhere);
    std::vector<Piece> pieces;
    if (!octree.cells.empty())
        TargetCutter(targets, octree, moments,
                     sizes.limits_of_pieces(groups.target_count, octree.size, parts))
            .cut_cell(0, {0, Index(groups.target_count)},
                      [&](const Piece& piece) { pieces.push_back(piece); });
    cut_groups(groups, octree, moments, sizes, pieces);
}

void cut_groups(TargetGroups& groups, const Octree& octree, const Moments& moments,
                GroupSizes sizes, std::span<const Piece> pieces, const TargetsElsewhere& elsewhere)
{
    const TargetsBySearch targets(groups, octree, elsewhere);
    const TargetCutter to_clusters(targets, octree, moments, sizes.limits_of_clusters()),
        to_groups(targets, octree, moments, sizes.limits_of_groups());
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
