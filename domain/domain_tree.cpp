#include "chamomile/domain/domain_tree.hpp"

#include <algorithm>
#include <utility>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Domains are cut into this many pieces for each rank, where pieces can hold whole clusters.
constexpr std::uint64_t pieces_per_rank = 64;

} // namespace

void DomainTree::build(const Rows& rows, const DomainPlan& plan, Profile& profile)
{
    RootCube cube;
    {
        const TimedPhase phase(profile, "sort");
        cube = placed(common_cube(rows, communicator_), plan.tree.placement);
        sorted_.sort(rows, cube);
    }
    {
        const TimedPhase phase(profile, "domains");
        make_domains_of(rows, plan);
    }
    {
        const TimedPhase phase(profile, "send");
        arrivals_.receive(rows, sorted_, coarse_, domains_, communicator_);
    }
    {
        const TimedPhase phase(profile, "cells");
        make_local_trees(local_, arrivals_, cube, plan.tree, own_leaves());
    }
    {
        const TimedPhase phase(profile, "moments");
        sum_moments(local_, plan.tree.criterion->order);
        share_moments(coarse_, local_, plan.tree.criterion->order, communicator_);
    }
    {
        const TimedPhase phase(profile, "groups");
        essential_ = {};
        forest_.grow({coarse_, domains_, local_}, essential_, communicator_.rank());
        find_groups(plan);
    }
    import_and_grow(*plan.tree.criterion, profile);
}

/// Makes the coarse tree and cuts it.
void DomainTree::make_domains_of(const Rows& rows, const DomainPlan& plan)
{
    const std::uint64_t ranks = std::uint64_t(communicator_.size());
    std::uint64_t all = rows.size();
    communicator_.sum(std::span(&all, 1));
    const std::uint64_t most =
        std::max({all / (pieces_per_rank * ranks), std::uint64_t(plan.tree.leaf_size),
                  std::uint64_t(plan.tree.groups.group) * std::uint64_t(plan.tree.groups.cluster)});
    coarse_ = make_coarse_tree(rows, sorted_, most, communicator_);
    domains_ = plan.shares.empty() ? make_domains(coarse_, most, int(ranks))
                                   : make_domains(coarse_, most, plan.shares);
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
void DomainTree::find_groups(const DomainPlan& plan)
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
    groups_.targets = {};
    groups_.target_count = size();
    cut_groups(groups_, forest_.tree.octree, forest_.tree.moments, plan.tree.groups, pieces);
    finish_groups(groups_);
}

std::vector<Region> DomainTree::regions() const
{
    std::vector<Region> regions;
    for (const Cluster& cluster : groups_.clusters)
        regions.push_back(
            {cluster.box, 0, cluster.center_of_mass, cluster.mass == 0 ? cluster.extent : 0});
    return regions;
}

/// Imports what the lists need, and before that, where the criterion compares with accelerations,
/// what the estimates of these need. Estimates and lists are then those of one rank alone.
void DomainTree::import_and_grow(const AcceptanceCriterion& criterion, Profile& profile)
{
    Tree& tree = forest_.tree;
    import_bytes_ = 0;
    if (total() == 0)
        return;
    const DealtTree dealt{coarse_, domains_, local_};
    const Opening opening{criterion,
                          WalkUnits::of(coarse_.moments.multipole[0], coarse_.moments.bounds[0])};
    const auto grow = [&](const std::vector<Region>& regions, Sight sight) {
        if (communicator_.size() > 1) {
            const TimedPhase phase(profile, "import");
            const std::uint64_t before = communicator_.traffic().bytes;
            essential_ = import_trees(regions, sight, opening, dealt, communicator_);
            import_bytes_ += communicator_.traffic().bytes - before;
            forest_.grow(dealt, essential_, communicator_.rank());
        }
        const TimedPhase phase(profile, "nodes");
        make_walk_nodes(tree.nodes, tree.octree, tree.moments, criterion);
        walk_.prepare(tree.octree, tree.nodes, criterion);
    };
    std::vector<Region> own = regions();
    if (communicator_.size() > 1 && criterion.is_relative()) {
        grow(own, Sight::estimate);
#pragma omp parallel for schedule(dynamic, 16)
        for (std::size_t c = 0; c < own.size(); ++c)
            own[c].relative_factor = walk_.relative_factor(groups_.clusters[c]);
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
           held_bytes(essential_.leaves, essential_.cells, essential_.higher,
                      essential_.particles) +
           memory_of(forest_.tree.octree) + memory_of(forest_.tree.moments) +
           held_bytes(forest_.tree.nodes.nodes, forest_.tree.nodes.node_of, forest_.cell_of) +
           held_bytes(groups_.groups, groups_.clusters);
}

void DomainTree::open(InteractionLists& lists, std::size_t first, std::size_t last) const
{
    walk_.open(lists, groups_, first, last);
}

void DomainTree::list(InteractionLists& lists, std::size_t first, std::size_t last) const
{
    walk_.list(lists, groups_, first, last);
    if (has_absent(lists))
        throw Error(Fault::numeric, "domains: a list opens a cell that was not imported");
}

} // namespace chamomile
