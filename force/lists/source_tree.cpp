#include "chamomile/force/lists/source_tree.hpp"

#include <cmath>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {

SourceTree::SourceTree(const SolverParts& parts)
    : builder_(*parts.builder), domains_(parts.domains), tree_(parts.builder->memory())
{}

void SourceTree::build(const TreeParticles& sources, const TreePlan& plan, const SourcesTaken& how)
{
    now_.reset();
    cells_.reset();
    profile_ = {};
    builder_.build(tree_, sources, plan, profile_);
    cells_ = Cells{domains_ ? domains_->total() : sources.count};
    finish(sources, how, false);
}

void SourceTree::refit(const TreeParticles& sources, const TreePlan& plan, const SourcesTaken& how)
{
    now_.reset();
    profile_ = {};
    builder_.refit(tree_, sources, plan, profile_);
    finish(sources, how, true);
}

void SourceTree::finish(const TreeParticles& sources, const SourcesTaken& how, bool has_kept_cells)
{
    now_ = Sources{sources, how.id, cells_->count, has_kept_cells};
    try {
        const auto& bounds = tree_.moments.bounds;
        now_->scale = InternalScale::of(bounds.empty() ? 0 : bounds[0].longest_side(),
                                        how.softening.pair.length, find_mass(how));
    } catch (...) {
        now_.reset();
        throw;
    }
}

/// Returns the mass unit for sums, before rounding to a power of two.
double SourceTree::find_mass(const SourcesTaken& how)
{
    if (tree_.moments.multipole.empty())
        return 0;
    const Multipole& whole = tree_.moments.multipole[0];
    if (are_finite(whole) && !how.sums_any_points)
        return whole.mass;
    const Particles all = this->all();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!std::isfinite(norm_of_any_size(all.position[i])))
            throw Error(Fault::input, "particle " + item(i) + ": position: must be finite");
    const double mass = require_masses(all, how.walks);
    now_->has_both_signs = !how.walks && mass > 0 && !(whole.mass >= 0.999999 * mass);
    return mass;
}

const Octree& SourceTree::ordered()
{
    if (!cells_->has_order)
        builder_.fetch_order(tree_.octree);
    cells_->has_order = true;
    return tree_.octree;
}

const Octree& SourceTree::octree()
{
    ordered();
    if (!now_->has_sources)
        builder_.fetch_sources(tree_.octree);
    now_->has_sources = true;
    return tree_.octree;
}

const Moments& SourceTree::moments()
{
    if (!now_->has_bounds)
        builder_.fetch_bounds(tree_.moments);
    now_->has_bounds = true;
    return tree_.moments;
}

std::span<const Index> SourceTree::places()
{
    const Octree& octree = ordered();
    std::vector<Index>& place = cells_->place;
    if (!place.empty())
        return place;
    place.resize(octree.size);
#pragma omp parallel for if (octree.size > worth_threads)
    for (std::size_t k = 0; k < octree.size; ++k)
        place[octree.order[k]] = Index(k);
    return place;
}

Particles SourceTree::all()
{
    if (domains_)
        return domains_->gather(now_->id).all;
    const Octree& octree = this->octree();
    Particles all;
    all.resize(octree.size);
    for (std::size_t k = 0; k < octree.size; ++k) {
        all.position[octree.order[k]] = octree.sources[k].position;
        all.mass[octree.order[k]] = octree.sources[k].mass;
    }
    if (!octree.softening.empty()) {
        all.softening.resize(octree.size);
        for (std::size_t k = 0; k < octree.size; ++k)
            all.softening[octree.order[k]] = std::sqrt(octree.softening[k]);
    }
    if (!now_->id.empty())
        all.id.assign(now_->id.begin(), now_->id.end());
    return all;
}

/// Finds active sources by the order or, if cells are kept for several evaluations, by places.
void SourceTree::make_groups(TargetGroups& groups, SourceTargets targets, const GroupSizes& sizes)
{
    if (!targets.active.empty() && !domains_) {
        ordered();
        if (now_->has_kept_cells)
            places();
        targets.place = cells_->place;
    }
    builder_.make_groups(groups, tree_, targets, sizes);
}

} // namespace chamomile
