#include "chamomile/domain/domain_tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chamomile/core/options/list_where.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Domains are cut into this many pieces for each rank, where pieces can hold whole clusters.
constexpr std::uint64_t pieces_per_rank = 64;

/// Returns a box that holds all within this distance of another.
Box widened(Box box, double distance)
{
    const double least = -Box::infinity, most = Box::infinity; // so that no rounding cuts it
    const auto widen = [&](double& low, double& high) {
        low = std::nextafter(low - distance, least);
        high = std::nextafter(high + distance, most);
    };
    if (distance > 0) {
        widen(box.low.x, box.high.x);
        widen(box.low.y, box.high.y);
        widen(box.low.z, box.high.z);
    }
    return box;
}

} // namespace

void DomainTree::build(const Rows& rows, const DomainPlan& plan, Profile& profile)
{
    {
        const TimedPhase phase(profile, "sort");
        cube_ = placed(common_cube(rows, communicator_), plan.tree.placement);
        sorted_.sort(rows, cube_);
    }
    {
        const TimedPhase phase(profile, "domains");
        std::uint64_t all = rows.size();
        communicator_.sum(std::span(&all, 1));
        coarse_ = make_coarse_tree(rows, sorted_, most_in_leaf(plan.tree, all), communicator_);
        std::vector<double> shares = plan.shares;
        for (int r = 0; plan.shares.empty() && r <= communicator_.size(); ++r)
            shares.push_back(double(r) / communicator_.size());
        built_domains_ = domains_ = make_domains(coarse_, pieces(rows, plan.tree), shares);
    }
    make_local(rows, plan.tree, profile);
    finish(rows, plan, profile);
}

void DomainTree::refit(const Rows& rows, const DomainPlan& plan, Profile& profile)
{
    const std::vector<std::size_t> before = domains_.first_leaf;
    {
        const TimedPhase phase(profile, "domains");
        common_cube(rows, communicator_); // refuses what is not finite
        coarse_.measure(rows, sorted_, communicator_);
        domains_ = keep_domains(coarse_, pieces(rows, plan.tree), built_domains_);
    }
    if (domains_.first_leaf != before ||
        (rows.longest_softening && !arrivals_.has_softenings())) // else they are here already
        make_local(rows, plan.tree, profile);
    {
        const TimedPhase phase(profile, "send");
        arrivals_.receive_moved(rows, sorted_, coarse_, domains_, communicator_);
    }
    {
        const TimedPhase phase(profile, "cells");
        gather_particles(local_, arrivals_, rows);
    }
    finish(rows, plan, profile);
}

/// Returns how many particles a leaf of the coarse tree may have: those of a cluster at least.
std::uint64_t DomainTree::most_in_leaf(const TreePlan& plan, std::uint64_t all) const
{
    return std::max({all / (pieces_per_rank * std::uint64_t(communicator_.size())),
                     std::uint64_t(plan.leaf_size),
                     std::uint64_t(plan.groups.group) * std::uint64_t(plan.groups.cluster)});
}

/// Cuts the targets into pieces of whole clusters.
std::vector<Piece> DomainTree::pieces(const Rows& rows, const TreePlan& plan) const
{
    if (!rows.has_targets)
        return cut_pieces(coarse_.octree, coarse_.moments, most_in_leaf(plan, total()));
    // Only how many targets a leaf has matters, and not which of its particles they are.
    TargetGroups targets;
    for (std::size_t leaf = 0; leaf < coarse_.leaves.size(); ++leaf)
        for (Index k = coarse_.targets_before[leaf]; k < coarse_.targets_before[leaf + 1]; ++k)
            targets.found.push_back(coarse_.leaf(leaf).begin + k - coarse_.targets_before[leaf]);
    targets.take(targets.found);
    return cut_target_pieces(targets, coarse_.octree, coarse_.moments, plan.groups,
                             pieces_per_rank * std::uint64_t(communicator_.size()));
}

/// Gets the particles of this rank's domain, as they were built, and makes their cells.
void DomainTree::make_local(const Rows& rows, const TreePlan& plan, Profile& profile)
{
    {
        const TimedPhase phase(profile, "send");
        arrivals_.receive(rows, sorted_, coarse_, domains_, communicator_);
    }
    const TimedPhase phase(profile, "cells");
    make_local_trees(local_, arrivals_, cube_, plan, own_leaves());
    gather_particles(local_, arrivals_, rows);
}

/// Makes all that depends on where the particles are now and on the targets.
void DomainTree::finish(const Rows& rows, const DomainPlan& plan, Profile& profile)
{
    {
        const TimedPhase phase(profile, "moments");
        const int order = plan.tree.criterion ? plan.tree.criterion->order : 0;
        sum_moments(local_, order);
        share_moments(coarse_, local_, order, rows.longest_softening.has_value(), communicator_);
    }
    {
        const TimedPhase phase(profile, "groups");
        arrivals_.receive_targets(rows, sorted_, coarse_, domains_, communicator_);
        essential_ = {};
        forest_.grow({coarse_, domains_, local_}, essential_, communicator_.rank());
        find_groups(rows, plan.tree);
    }
    if (plan.tree.criterion && plan.has_lists)
        serve(groups_, *plan.tree.criterion, profile);
}

/// Returns the leaves of the coarse tree that this rank has, which count its arrivals.
std::vector<Cell> DomainTree::own_leaves() const
{
    const std::size_t rank = std::size_t(communicator_.rank());
    std::vector<Cell> leaves;
    Index begin = 0;
    for (std::size_t leaf = domains_.first_leaf[rank]; leaf < domains_.first_leaf[rank + 1];
         ++leaf) {
        const Cell& cell = coarse_.leaf(leaf);
        leaves.push_back({begin, cell.count, 0, cell.octant});
        begin += cell.count;
    }
    return leaves;
}

/// Cuts the groups of this rank's pieces.
void DomainTree::find_groups(const Rows& rows, const TreePlan& plan)
{
    const std::size_t rank = std::size_t(communicator_.rank()), first = domains_.first_piece[rank],
                      last = domains_.first_piece[rank + 1];
    std::vector<Piece> pieces(domains_.pieces.begin() + std::ptrdiff_t(first),
                              domains_.pieces.begin() + std::ptrdiff_t(last));
    const Index before = pieces.empty() ? 0 : pieces.front().targets.begin;
    for (Piece& piece : pieces) {
        piece.cell = forest_.cell_of[piece.cell];
        piece.targets = {piece.targets.begin - before, piece.targets.end - before};
    }
    const Octree& own = local_.octree;
    groups_.targets = {};
    groups_.target_count = size();
    if (rows.has_targets) {
        // A piece may have cells of other ranks, without targets.
        const Index shift = size() > 0 ? coarse_.leaf(domains_.first_leaf[rank]).begin : 0;
        forest_.count_all({coarse_, domains_, local_}, communicator_.rank());
        list_where(
            own.size, [&](std::size_t k) { return arrivals_.is_target()[own.order[k]]; },
            groups_.found);
        for (Index& place : groups_.found)
            place += shift;
        groups_.take(groups_.found);
        cut_groups(groups_, forest_.tree.octree, forest_.tree.moments, plan.groups, pieces);
        for (Index& place : groups_.found)
            place -= shift;
        find_boxes(groups_, own, plan.groups.longest_side);
    } else {
        cut_groups(groups_, forest_.tree.octree, forest_.tree.moments, plan.groups, pieces);
    }
    finish_groups(groups_);
    find_softenings(groups_, own.softening);
    for (Cluster& cluster : groups_.clusters)
        cluster.mass = plan.criterion ? cluster.mass : 0;
}

/// Returns what the clusters open. Where targets keep cells away by a clearance of their own, the
/// box is wider by it, which opens hardly more.
std::vector<Region> DomainTree::regions(const AcceptanceCriterion& criterion) const
{
    std::vector<Region> regions;
    for (std::size_t c = 0; c < listed_->clusters.size(); ++c) {
        const Cluster& cluster = listed_->clusters[c];
        const double clearance = listed_->cluster_softening.empty()
                                     ? 0
                                     : own_clearance(criterion, listed_->cluster_softening[c]);
        regions.push_back({widened(cluster.box, clearance), 0, cluster.center_of_mass,
                           cluster.mass == 0 ? cluster.extent : 0});
    }
    return regions;
}

/// Imports what the lists of these groups need, and before that, where the criterion compares with
/// accelerations, what the estimates of these need. Estimates and lists are then those of one rank
/// alone.
void DomainTree::serve(const TargetGroups& points, const AcceptanceCriterion& criterion,
                       Profile& profile)
{
    listed_ = &points;
    Tree& tree = forest_.tree;
    import_bytes_ = 0;
    if (total() == 0)
        return;
    const DealtTree dealt{coarse_, domains_, local_};
    const TreeReach reach(criterion, coarse_.moments);
    const auto grow = [&](const std::vector<Region>& regions, Sight sight) {
        std::span<const CellReach> known; // of one rank none
        if (communicator_.size() > 1) {
            const TimedPhase phase(profile, "import");
            const std::uint64_t before = communicator_.traffic().bytes;
            essential_ = import_trees(regions, sight, criterion, reach, dealt, communicator_);
            import_bytes_ += communicator_.traffic().bytes - before;
            forest_.grow(dealt, essential_, communicator_.rank(), &reach);
            known = forest_.reach;
        }
        const TimedPhase phase(profile, "nodes");
        make_walk_nodes(tree.nodes, tree.octree, tree.moments, criterion, known);
        walk_.prepare(tree.octree, tree.nodes, criterion);
    };
    if (communicator_.size() > 1) {
        const TimedPhase phase(profile, "import");
        find_reaches(local_, reach);
    }
    std::vector<Region> own = regions(criterion);
    if (communicator_.size() > 1 && criterion.is_relative()) {
        grow(own, Sight::estimate);
#pragma omp parallel for schedule(dynamic, 16)
        for (std::size_t c = 0; c < own.size(); ++c)
            own[c].relative_factor = walk_.relative_factor(points.clusters[c]);
    }
    grow(own, Sight::lists);
    const TimedPhase phase(profile, "import");
    forest_.take_particles(local_, essential_);
}

std::size_t DomainTree::memory() const
{
    return held_bytes(sorted_.keys, sorted_.order, sorted_.scratch.keys, sorted_.scratch.order,
                      sorted_.scratch.bucket) +
           memory_of(coarse_.octree) + memory_of(coarse_.moments) +
           held_bytes(coarse_.leaves, coarse_.first, coarse_.work, domains_.pieces) +
           arrivals_.memory() + local_.memory() +
           held_bytes(essential_.leaves, essential_.cells, essential_.higher, essential_.softening,
                      essential_.particles, essential_.lengths) +
           memory_of(forest_.tree.octree) + memory_of(forest_.tree.moments) +
           held_bytes(forest_.tree.nodes.nodes, forest_.tree.nodes.node_of, forest_.cell_of,
                      forest_.reach) +
           held_bytes(groups_.groups, groups_.clusters);
}

void DomainTree::open(InteractionLists& lists, std::size_t first, std::size_t last) const
{
    walk_.open(lists, *listed_, first, last);
}

void DomainTree::list(InteractionLists& lists, std::size_t first, std::size_t last) const
{
    walk_.list(lists, *listed_, first, last);
    if (has_absent(lists))
        throw Error(Fault::numeric, "domains: a list opens a cell that was not imported");
}

} // namespace chamomile
