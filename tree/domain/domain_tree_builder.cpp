#include "chamomile/tree/domain/domain_tree_builder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/domain/memory_use.hpp"

namespace chamomile {
namespace {

/// Number of pieces per rank, unless whole clusters need larger pieces.
constexpr std::uint64_t pieces_per_rank = 64;

/// Returns a box that holds every point within `distance` of `box`.
Box widened(Box box, double distance)
{
    const double min = -Box::infinity, max = Box::infinity; // so that no rounding cuts it
    const auto widen = [&](double& low, double& high) {
        low = std::nextafter(low - distance, min);
        high = std::nextafter(high + distance, max);
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
    has_targets_ = particles.ranks->has_targets;
    per_particle_ = particles.ranks->per_particle;
    std::uint64_t all_rows = 0;
    {
        const TimedPhase phase(profile, "sort");
        part_->take(particles, false);
        const CommonCube common = common_cube(part_->look(), particles.word, ranks_);
        all_rows = common.rows;
        part_->sort(placed(common.cube, plan.placement), common.before);
    }
    {
        const TimedPhase phase(profile, "domains");
        coarse_ = maker_.make([&](auto cells, auto counts) { part_->count(cells, counts); },
                              all_rows, max_in_leaf(plan, all_rows), ranks_);
        if (all_rows > 0)
            coarse_.reduce(part_->leaf_sums(coarse_), has_targets_, ranks_);
        std::vector<double> shares = shares_;
        for (int r = 0; shares_.empty() && r <= ranks_.size(); ++r)
            shares.push_back(double(r) / ranks_.size());
        Domains domains = make_domains(coarse_, pieces(plan), shares);
        require_room(domains);
        built_domains_ = domains_ = std::move(domains);
    }
    {
        const TimedPhase phase(profile, "cells");
        part_->receive(tree, distributed(), plan, ranks_);
    }
    finish(tree, plan, profile);
}

void DomainTreeBuilder::refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                              Profile& profile)
{
    has_targets_ = particles.ranks->has_targets;
    per_particle_ = particles.ranks->per_particle;
    const std::vector<std::size_t> before = domains_.first_leaf;
    {
        const TimedPhase phase(profile, "domains");
        part_->take(particles, true);
        if (total() > 0)
            coarse_.reduce(part_->leaf_sums(coarse_), has_targets_, ranks_);
        Domains domains = keep_domains(coarse_, pieces(plan), built_domains_, domains_);
        require_room(domains);
        domains_ = std::move(domains);
    }
    {
        const TimedPhase phase(profile, "cells");
        if (domains_.first_leaf != before)
            part_->receive(tree, distributed(), plan, ranks_);
        part_->receive_moved(distributed(), plan, ranks_);
    }
    finish(tree, plan, profile);
    if (total() > 0 && !are_finite(coarse_.moments.multipole[0]))
        common_cube(part_->look(), particles.word, ranks_); // throws, unless only a sum overflows
}

/// Throws the same error on all ranks if a rank gets more particles than an Index counts.
void DomainTreeBuilder::require_room(const Domains& domains) const
{
    agreed([&] {
        for (int r = 0; r < ranks_.size() && total() > 0; ++r)
            check_number(coarse_.particles_before[domains.first_leaf[std::size_t(r) + 1]] -
                         coarse_.particles_before[domains.first_leaf[std::size_t(r)]]);
    });
}

/// Returns the max number of particles in a coarse leaf, at least a full cluster.
std::uint64_t DomainTreeBuilder::max_in_leaf(const TreePlan& plan, std::uint64_t all) const
{
    return std::max({all / (pieces_per_rank * std::uint64_t(ranks_.size())),
                     std::uint64_t(plan.leaf_size),
                     std::uint64_t(plan.groups.group) * std::uint64_t(plan.groups.cluster)});
}

/// Cuts the targets into pieces, each with whole clusters.
std::vector<DomainPiece> DomainTreeBuilder::pieces(const TreePlan& plan) const
{
    const std::uint64_t max = max_in_leaf(plan, total());
    return cut_pieces(coarse_, has_targets_ ? plan.groups.limits_of_pieces(
                                                  targets(), total(),
                                                  pieces_per_rank * std::uint64_t(ranks_.size()))
                                            : PieceLimits{max, max, 0, 0, Box::infinity});
}

/// Sums the moments at current positions and fills the tree.
void DomainTreeBuilder::finish(Tree& tree, const TreePlan& plan, Profile& profile)
{
    criterion_ = plan.criterion;
    requests_.partners = 0;
    requests_.bytes = 0;
    {
        const TimedPhase phase(profile, "moments");
        const int order = criterion_ ? criterion_->order : 0;
        coarse_.gather_moments(part_->sum_moments(plan), order, per_particle_, ranks_);
        part_->make_tree(tree, distributed(), plan);
    }
}

void DomainTreeBuilder::make_groups(TargetGroups& groups, Tree& tree, const SourceTargets&,
                                    const GroupSizes& sizes)
{
    const std::size_t rank = std::size_t(ranks_.rank()), first = domains_.first_piece[rank],
                      last = domains_.first_piece[rank + 1];
    std::vector<Piece> pieces;
    for (std::size_t p = first; p < last; ++p) {
        const auto& [cell, first_octant, end_octant, targets, box] = domains_.pieces[p];
        const std::uint64_t before = domains_.pieces[first].targets.begin;
        pieces.push_back({part_->cell_of()[cell],
                          first_octant,
                          end_octant,
                          {Index(targets.begin - before), Index(targets.end - before)},
                          box});
    }
    groups.targets = {};
    groups.target_count = part_->size();
    if (has_targets_ || !part_->cut_groups(groups, tree, sizes)) {
        if (has_targets_)
            cut_target_groups(groups, tree, sizes, pieces);
        else
            chamomile::cut_groups(groups, tree.octree, tree.moments, sizes, pieces);
        if (has_wide_boxes(groups, sizes.longest_side))
            part_->find_boxes(groups, sizes.longest_side);
        finish_groups(groups);
    }
    part_->find_softenings(groups);
}

/// Cuts groups if only some arrivals are targets. A piece may contain coarse cells, also of other
/// ranks, whose targets the coarse tree counts.
void DomainTreeBuilder::cut_target_groups(TargetGroups& groups, const Tree& tree,
                                          const GroupSizes& sizes, std::span<const Piece> pieces)
{
    part_->find_targets(groups);
    groups.take(groups.found);
    const std::span<const Index> cell_of = part_->cell_of();
    const std::size_t first_leaf = distributed().first_leaf();
    const auto here = [&](std::uint64_t target) { // no piece reaches before this rank's targets
        return Index(target - coarse_.targets_before[first_leaf]);
    };
    chamomile::cut_groups(groups, tree.octree, tree.moments, sizes, pieces, [&](Index cell) {
        const GlobalRange targets =
            coarse_.targets_of(Index(std::ranges::lower_bound(cell_of, cell) - cell_of.begin()));
        return TargetRange{here(targets.begin), here(targets.end)};
    });
}

/// Fills one region per cluster. Per-particle softening adds the targets' clearance to opening
/// radii; here the box grows by it, which opens the same cells and hardly any more.
void DomainTreeBuilder::find_regions(const TargetGroups& groups)
{
    requests_.regions.resize(groups.clusters.size());
#pragma omp parallel for if (groups.clusters.size() > worth_threads) schedule(static)
    for (std::size_t c = 0; c < groups.clusters.size(); ++c) {
        const Cluster& cluster = groups.clusters[c];
        const double clearance = groups.cluster_softening.empty()
                                     ? 0
                                     : own_clearance(*criterion_, groups.cluster_softening[c]);
        requests_.regions[c] = {widened(cluster.box, clearance), 0, cluster.center_of_mass,
                                cluster.mass == 0 ? cluster.extent : 0};
    }
}

void DomainTreeBuilder::start_nodes(Tree& tree, TargetGroups& groups, Profile& profile)
{
    if (total() == 0)
        return;
    const bool imports = ranks_.size() > 1, has_estimates = criterion_->takes_tolerance();
    if (imports) {
        const TimedPhase phase(profile, "import");
        part_->start_imports(TreeReach(*criterion_, coarse_.moments));
    }
    make_nodes(tree, profile);
    if (!imports)
        return;
    const TimedPhase phase(profile, "import");
    find_regions(groups);
    if (has_estimates)
        predict_factors(groups);
    import(tree);
    if (has_estimates)
        part_->estimate(walk_, groups, estimates_);
}

void DomainTreeBuilder::finish_nodes(Tree& tree, TargetGroups& groups, Profile& profile)
{
    if (total() == 0)
        return;
    const TimedPhase phase(profile, "import");
    if (ranks_.size() > 1 && criterion_->takes_tolerance() && !factors_suffice(groups))
        import(tree);
    part_->finish();
}

/// Makes nodes, and prepares estimates of accelerations without a lower limit.
void DomainTreeBuilder::make_nodes(Tree& tree, Profile& profile)
{
    const TimedPhase phase(profile, "nodes");
    part_->make_nodes(tree, *criterion_);
    AcceptanceCriterion without_min = *criterion_;
    without_min.min_acceleration = 0;
    walk_.prepare(tree.octree, tree.nodes, without_min);
}

/// Imports the cells and particles that regions open.
void DomainTreeBuilder::import(Tree& tree)
{
    const TreeReach reach(*criterion_, coarse_.moments);
    requests_.exchange(*criterion_, reach, distributed(), *part_, ranks_);
    const std::uint64_t before = ranks_.traffic().bytes;
    part_->import(tree, {requests_.asked, *criterion_, reach.units()}, distributed(), ranks_);
    requests_.bytes += ranks_.traffic().bytes - before;
}

/// Sets the relative_factor of regions before any import: for half the acceleration estimated from
/// local cells and the coarse tree, so that factors of final estimates hardly ever exceed it.
void DomainTreeBuilder::predict_factors(const TargetGroups& groups)
{
    constexpr double part = 0.5; // for order 2, distances grow by 2^(1/5)
    std::vector<ImportRegion>& regions = requests_.regions;
    estimates_.resize(regions.size());
    part_->estimate(walk_, groups, estimates_);
    const double min = criterion_->scaled_min_acceleration(walk_.units());
#pragma omp parallel for if (regions.size() > worth_threads) schedule(static)
    for (std::size_t c = 0; c < regions.size(); ++c)
        regions[c].relative_factor =
            criterion_->relative_factor(part * std::max(estimates_[c], min));
}

/// Compares the estimates with imported cells. Returns true on all ranks if no region needs a
/// larger factor than predicted. Otherwise sets the needed factors; these are final, since further
/// imports do not change the estimates. Keeps the estimates for the walk if equal to the walk's bit
/// for bit.
bool DomainTreeBuilder::factors_suffice(TargetGroups& groups)
{
    constexpr double rounding = 1 + 1e-9; // between host and GPU estimates
    std::vector<ImportRegion>& regions = requests_.regions;
    const double min_acceleration = criterion_->scaled_min_acceleration(walk_.units());
    std::uint64_t missed = 0;
#pragma omp parallel for if (regions.size() > worth_threads) schedule(static) reduction(+ : missed)
    for (std::size_t c = 0; c < regions.size(); ++c) {
        estimates_[c] = std::max(estimates_[c], min_acceleration);
        const double min = rounding * criterion_->relative_factor(estimates_[c]);
        if (regions[c].relative_factor >= min)
            continue;
        ++missed;
        regions[c].relative_factor = min;
    }
    ranks_.sum(std::span(&missed, 1));
    if (missed == 0 && part_->estimates_as_walk())
        groups.accelerations = std::move(estimates_);
    return missed == 0;
}

DomainTreeBuilder::GatheredParticles DomainTreeBuilder::gather(std::span<const std::uint64_t> id)
{
    const Rows own = part_->rows();
    GatheredParticles found;
    const std::vector<std::uint64_t> counts = ranks_.all_gather(std::uint64_t(own.size()));
    agreed([&] { check_number(total()); }); // each rank gathers all
    found.number.assign(own.number.begin(), own.number.end());
    if (!own.has_numbers) {
        found.number.resize(own.size());
        std::iota(found.number.begin(), found.number.end(),
                  std::accumulate(counts.begin(), counts.begin() + ranks_.rank(), GlobalIndex(0)));
    }
    const std::vector<GlobalIndex> number =
        ranks_.all_gather(std::span<const GlobalIndex>(found.number));
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
    return part_->held_bytes() + memory_of(coarse_.octree) + memory_of(coarse_.moments) +
           chamomile::held_bytes(coarse_.leaves, coarse_.first, coarse_.work, domains_.pieces);
}

} // namespace chamomile
