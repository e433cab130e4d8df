#include "chamomile/tree/tree_builder.hpp"

#include <algorithm>

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Builds trees with all host threads.
class HostTreeBuilder final : public TreeBuilder {
public:
    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        of_nodes_ = plan.criterion;
        {
            const TimedPhase phase(profile, "build");
            build_octree(tree.octree, dense_.positions(particles), dense_.masses(particles),
                         {plan.leaf_size, plan.placement, particles.word}, sorter_);
            set_softenings(tree.octree, particles);
        }
        sum_moments(tree, profile);
    }

    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        of_nodes_ = plan.criterion;
        {
            const TimedPhase phase(profile, "build");
            const auto position = dense_.positions(particles);
            const auto mass = dense_.masses(particles);
            Octree& octree = tree.octree;
#pragma omp parallel for if (octree.size > worth_threads)
            for (std::size_t k = 0; k < octree.size; ++k) {
                Source& source = octree.sources[k];
                const Index i = octree.order[k];
                source = {plan.periodicity.nearest_to(source.position, position[i]), mass[i]};
            }
            set_softenings(octree, particles);
        }
        sum_moments(tree, profile);
    }

    void finish_nodes(Tree& tree, TargetGroups&, Profile& profile) override
    {
        if (!of_nodes_) // made already
            return;
        look_for_interruption();
        const TimedPhase phase(profile, "nodes");
        make_walk_nodes(tree.nodes, tree.octree, tree.moments, *of_nodes_);
        of_nodes_.reset();
    }

    std::pmr::memory_resource* memory() override
    {
        return large_memory();
    }

private:
    void sum_moments(Tree& tree, Profile& profile) const
    {
        look_for_interruption();
        const TimedPhase phase(profile, "moments");
        compute_moments(tree.moments, tree.octree, of_nodes_ ? of_nodes_->order : 0);
    }

    KeySorter sorter_;
    std::optional<AcceptanceCriterion> of_nodes_; // criterion for nodes not yet made
    DenseCopy dense_;
};

/// Returns n items of an array: in place if dense, else a copy made by load(i).
template <class T, class Load>
std::span<const T> dense_items(const ArrayView& array, std::size_t n, std::vector<T>& copy,
                               const Load& load)
{
    if (array.is_dense())
        return {reinterpret_cast<const T*>(array.component[0]), n};
    copy.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        copy[i] = load(i);
    return copy;
}

} // namespace

std::span<const Vec3<double>> DenseCopy::positions(const TreeParticles& p)
{
    return dense_items(p.position, p.count, positions_,
                       [&](std::size_t i) { return p.position.load_vector(i); });
}

std::span<const double> DenseCopy::masses(const TreeParticles& p)
{
    return dense_items(p.mass, p.count, masses_,
                       [&](std::size_t i) { return p.mass ? p.mass.load(i) : 1; });
}

std::span<const double> DenseCopy::softenings(const TreeParticles& p)
{
    return dense_items(p.softening, p.count, softenings_,
                       [&](std::size_t i) { return p.softening.load(i); });
}

void TreeBuilder::make_groups(TargetGroups& groups, Tree& tree, const SourceTargets& targets,
                              const GroupSizes& sizes)
{
    if (targets.rung)
        find_targets(groups, targets.rung, targets.first);
    else
        chamomile::find_targets(groups, tree.octree, targets.active, targets.place);
    cut_groups(groups, tree.octree, tree.moments, sizes);
    if (has_wide_boxes(groups, sizes.longest_side))
        find_boxes(groups, tree.octree, sizes.longest_side);
    finish_groups(groups);
    find_softenings(groups, tree.octree);
}

void set_softenings(Octree& octree, const TreeParticles& particles)
{
    octree.softening.resize(particles.softening ? octree.size : 0);
#pragma omp parallel for if (octree.size > worth_threads)
    for (std::size_t k = 0; k < octree.softening.size(); ++k) {
        const double length =
            std::min(particles.softening.load(octree.order[k]), particles.longest_softening);
        octree.softening[k] = length * length;
    }
}

std::unique_ptr<TreeBuilder> make_host_tree_builder()
{
    return std::make_unique<HostTreeBuilder>();
}

} // namespace chamomile
