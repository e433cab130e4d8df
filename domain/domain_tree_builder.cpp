#include "chamomile/domain/domain_tree_builder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

void DomainTreeBuilder::build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                              Profile& profile)
{
    std::uint64_t all_rows = 0;
    {
        const TimedPhase phase(profile, "sort");
        rows_.take(particles, false);
        const auto [cube, all] = common_cube(rows(), ranks_);
        cube_ = placed(cube, plan.placement);
        all_rows = all;
        sorted_.sort(rows(), cube_);
    }
    {
        const TimedPhase phase(profile, "domains");
        coarse_ = maker_.make(rows(), sorted_, all_rows, most_in_leaf(plan, all_rows), ranks_);
        std::vector<double> shares = shares_;
        for (int r = 0; shares_.empty() && r <= ranks_.size(); ++r)
            shares.push_back(double(r) / ranks_.size());
        built_domains_ = domains_ = make_domains(coarse_, pieces(plan), shares);
    }
    make_local(plan, profile);
    finish(tree, plan, profile);
}

void DomainTreeBuilder::refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                              Profile& profile)
{
    const std::vector<std::size_t> before = domains_.first_leaf;
    {
        const TimedPhase phase(profile, "domains");
        rows_.take(particles, true);
        common_cube(rows(), ranks_); // refuses what is not finite
        coarse_.measure(rows(), sorted_, ranks_);
        domains_ = keep_domains(coarse_, pieces(plan), built_domains_);
    }
    if (domains_.first_leaf != before ||
        (rows().longest_softening && !arrivals_.has_softenings())) // else they are here already
        make_local(plan, profile);
    {
        const TimedPhase phase(profile, "send");
        arrivals_.receive_moved(rows(), sorted_, coarse_, domains_, ranks_);
    }
    {
        const TimedPhase phase(profile, "cells");
        gather_particles(local_, arrivals_, rows());
    }
    finish(tree, plan, profile);
}

/// Returns how many particles a leaf of the coarse tree may have: those of a cluster at least.
std::uint64_t DomainTreeBuilder::most_in_leaf(const TreePlan& plan, std::uint64_t all) const
{
    return std::max({all / (pieces_per_rank * std::uint64_t(ranks_.size())),
                     std::uint64_t(plan.leaf_size),
                     std::uint64_t(plan.groups.group) * std::uint64_t(plan.groups.cluster)});
}

/// Cuts the targets into pieces of whole clusters.
std::vector<Piece> DomainTreeBuilder::pieces(const TreePlan& plan) const
{
    if (!rows().has_targets)
        return cut_pieces(coarse_.octree, coarse_.moments, most_in_leaf(plan, total()));
    // Only how many targets a leaf has matters, and not which of its particles they are.
    TargetGroups targets;
    for (std::size_t leaf = 0; leaf < coarse_.leaves.size(); ++leaf)
        for (Index k = coarse_.targets_before[leaf]; k < coarse_.targets_before[leaf + 1]; ++k)
            targets.found.push_back(coarse_.leaf(leaf).begin + k - coarse_.targets_before[leaf]);
    targets.take(targets.found);
    return cut_target_pieces(targets, coarse_.octree, coarse_.moments, plan.groups,
                             pieces_per_rank * std::uint64_t(ranks_.size()));
}

/// Gets the particles of this rank's domain, as they were built, and makes their cells.
void DomainTreeBuilder::make_local(const TreePlan& plan, Profile& profile)
{
    {
        const TimedPhase phase(profile, "send");
        arrivals_.receive(rows(), sorted_, coarse_, domains_, ranks_);
    }
    const TimedPhase phase(profile, "cells");
    const std::vector<std::size_t> begins = leaving_begins();
    const std::size_t rank = std::size_t(ranks_.rank()), begin = begins[rank];
    const KeySorter::SortedRun own{
        arrivals_.first_from(ranks_.rank()),
        std::span<const Key>(sorted_.keys).subspan(begin, begins[rank + 1] - begin)};
    make_local_trees(local_, arrivals_, own, cube_, plan.leaf_size, own_leaves());
    gather_particles(local_, arrivals_, rows());
}

/// Makes all that depends on where the particles are now and on the targets.
void DomainTreeBuilder::finish(Tree& tree, const TreePlan& plan, Profile& profile)
{
    criterion_ = plan.criterion;
    import_bytes_ = 0;
    {
        const TimedPhase phase(profile, "moments");
        const int order = criterion_ ? criterion_->order : 0;
        sum_moments(local_, order);
        share_moments(coarse_, local_, order, rows().longest_softening.has_value(), ranks_);
    }
    const TimedPhase phase(profile, "groups");
    essential_ = {};
    forest_.grow(tree, {coarse_, domains_, local_}, essential_, ranks_.rank());
}

/// Returns the leaves of the coarse tree that this rank has, which count its arrivals.
std::vector<Cell> DomainTreeBuilder::own_leaves() const
{
    const std::size_t rank = std::size_t(ranks_.rank());
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

void DomainTreeBuilder::make_groups(TargetGroups& groups, Tree& tree, const SourceTargets&,
                                    const GroupSizes& sizes)
{
    const std::size_t rank = std::size_t(ranks_.rank()), first = domains_.first_piece[rank],
                      last = domains_.first_piece[rank + 1];
    std::vector<Piece> pieces(domains_.pieces.begin() + std::ptrdiff_t(first),
                              domains_.pieces.begin() + std::ptrdiff_t(last));
    const Index before = pieces.empty() ? 0 : pieces.front().targets.begin;
    for (Piece& piece : pieces) {
        piece.cell = forest_.cell_of[piece.cell];
        piece.targets = {piece.targets.begin - before, piece.targets.end - before};
    }
    const Octree& own = local_.octree;
    groups.targets = {};
    groups.target_count = size();
    if (rows().has_targets) {
        // A piece may have cells of other ranks, without targets.
        const Index shift = size() > 0 ? coarse_.leaf(domains_.first_leaf[rank]).begin : 0;
        forest_.count_all(tree, {coarse_, domains_, local_}, ranks_.rank());
        list_where(
            own.size, [&](std::size_t k) { return arrivals_.is_target()[own.order[k]]; },
            groups.found);
        for (Index& place : groups.found)
            place += shift;
        groups.take(groups.found);
        cut_groups(groups, tree.octree, tree.moments, sizes, pieces);
        for (Index& place : groups.found)
            place -= shift;
        chamomile::find_boxes(groups, own, sizes.longest_side);
    } else {
        cut_groups(groups, tree.octree, tree.moments, sizes, pieces);
    }
    finish_groups(groups);
    chamomile::find_softenings(groups, own.softening);
}

/// Returns what the clusters open. Where targets keep cells away by a clearance of their own, the
/// box is wider by it, which opens hardly more.
std::vector<Region> DomainTreeBuilder::regions(const TargetGroups& groups) const
{
    std::vector<Region> regions;
    for (std::size_t c = 0; c < groups.clusters.size(); ++c) {
        const Cluster& cluster = groups.clusters[c];
        const double clearance = groups.cluster_softening.empty()
                                     ? 0
                                     : own_clearance(*criterion_, groups.cluster_softening[c]);
        regions.push_back({widened(cluster.box, clearance), 0, cluster.center_of_mass,
                           cluster.mass == 0 ? cluster.extent : 0});
    }
    return regions;
}

void DomainTreeBuilder::finish_nodes(Tree& tree, const TargetGroups& groups, Profile& profile)
{
    if (total() == 0)
        return;
    const AcceptanceCriterion& criterion = *criterion_;
    const DealtTree dealt{coarse_, domains_, local_};
    const TreeReach reach(criterion, coarse_.moments);
    const bool imports = ranks_.size() > 1;
    const auto grow = [&](const std::vector<Region>& regions, Sight sight) {
        std::span<const CellReach> known; // of one rank none
        if (imports) {
            const TimedPhase phase(profile, "import");
            const std::uint64_t before = ranks_.traffic().bytes;
            essential_ = import_trees(regions, sight, criterion, reach, dealt, ranks_);
            import_bytes_ += ranks_.traffic().bytes - before;
            forest_.grow(tree, dealt, essential_, ranks_.rank(), &reach);
            known = forest_.reach;
        }
        const TimedPhase phase(profile, "nodes");
        make_walk_nodes(tree.nodes, tree.octree, tree.moments, criterion, known);
    };
    if (imports) {
        const TimedPhase phase(profile, "import");
        find_reaches(local_, reach);
    }
    std::vector<Region> own = regions(groups);
    if (imports && criterion.is_relative()) {
        grow(own, Sight::estimate);
        walk_.prepare(tree.octree, tree.nodes, criterion);
#pragma omp parallel for schedule(dynamic, 16)
        for (std::size_t c = 0; c < own.size(); ++c)
            own[c].relative_factor = walk_.relative_factor(groups.clusters[c]);
    }
    grow(own, Sight::lists);
    const TimedPhase phase(profile, "import");
    forest_.take_particles(tree, local_, essential_);
}

/// Returns where the work of this rank's particles goes; keeps that of its arrivals.
std::span<float> DomainTreeBuilder::make_room_for_work(std::span<const float> arrivals)
{
    std::vector<float> placed(rows().has_targets ? 0 : size());
#pragma omp parallel for if (placed.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < placed.size(); ++k)
        placed[k] = arrivals[local_.octree.order[k]];
    return rows_.make_room_for_work(std::move(placed));
}

DomainTreeBuilder::GatheredParticles DomainTreeBuilder::gather(std::span<const std::uint64_t> id)
{
    const Rows& own = rows();
    GatheredParticles found;
    const std::vector<std::uint64_t> counts = ranks_.all_gather(std::uint64_t(own.size()));
    found.number.assign(own.number.begin(), own.number.end());
    if (!own.has_numbers) {
        found.number.resize(own.size());
        std::iota(found.number.begin(), found.number.end(),
                  Index(std::accumulate(counts.begin(), counts.begin() + ranks_.rank(),
                                        std::uint64_t(0))));
    }
    const std::vector<Index> number = ranks_.all_gather(std::span<const Index>(found.number));
    const auto gather = [&](const auto& mine, auto& all) {
        using Value = typename std::decay_t<decltype(all)>::value_type;
        const std::vector<Value> gathered = ranks_.all_gather(std::span<const Value>(mine));
        all.resize(gathered.size() == number.size() ? number.size() : 0);
        for (std::size_t k = 0; k < all.size(); ++k)
            all[number[k]] = gathered[k];
    };
    Particles& all = found.all;
    gather(id, all.id);
    gather(own.position, all.position);
    gather(own.mass, all.mass);
    if (own.longest_softening) {
        gather(own.softening, all.softening);
        for (double& length : all.softening)
            length = std::min(length, *own.longest_softening);
    }
    all.acceleration.resize(all.mass.size());
    all.potential.resize(all.mass.size());
    return found;
}

std::size_t DomainTreeBuilder::held_bytes() const
{
    using chamomile::held_bytes;
    return rows_.held_bytes() +
           held_bytes(sorted_.keys, sorted_.order, sorted_.scratch.keys, sorted_.scratch.order,
                      sorted_.scratch.bucket) +
           memory_of(coarse_.octree) + memory_of(coarse_.moments) +
           held_bytes(coarse_.leaves, coarse_.first, coarse_.work, domains_.pieces) +
           arrivals_.memory() + local_.memory() +
           held_bytes(essential_.leaves, essential_.cells, essential_.higher, essential_.softening,
                      essential_.particles, essential_.lengths, forest_.cell_of, forest_.reach);
}

} // namespace chamomile
