#include "chamomile/tree/tree_builder.hpp"

#include <algorithm>

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// A HostTreeBuilder builds trees with all host threads.
class HostTreeBuilder final : public TreeBuilder {
public:
    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        criterion_ = plan.criterion;
        {
            const TimedPhase phase(profile, "build");
            build_octree(tree.octree, positions(particles), masses(particles),
                         {plan.leaf_size, plan.placement}, sorter_);
            take_softenings(tree.octree, particles);
        }
        sum_moments(tree, profile);
    }

    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        criterion_ = plan.criterion;
        {
            const TimedPhase phase(profile, "build");
            const auto position = positions(particles);
            const auto mass = masses(particles);
            Octree& octree = tree.octree;
#pragma omp parallel for if (octree.size > worth_threads)
            for (std::size_t k = 0; k < octree.size; ++k) {
                Source& source = octree.sources[k];
                const Index i = octree.order[k];
                source = {plan.periodicity.nearest_to(source.position, position[i]), mass[i]};
            }
            take_softenings(octree, particles);
        }
        sum_moments(tree, profile);
    }

    void finish_nodes(Tree& tree) override
    {
        look_for_interruption();
        make_walk_nodes(tree.nodes, tree.octree, tree.moments, *criterion_);
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
        compute_moments(tree.moments, tree.octree, criterion_ ? criterion_->order : 0);
    }

    /// Returns the positions where they lie if they are dense, or a copy.
    std::span<const Vec3<double>> positions(const TreeParticles& particles)
    {
        const std::size_t n = particles.count;
        const ArrayView& view = particles.position;
        if (view.is_dense())
            return {reinterpret_cast<const Vec3<double>*>(view.component[0]), n};
        positions_.resize(n);
#pragma omp parallel for if (n > worth_threads)
        for (std::size_t i = 0; i < n; ++i)
            positions_[i] = view.load_vector(i);
        return positions_;
    }

    std::span<const double> masses(const TreeParticles& particles)
    {
        const std::size_t n = particles.count;
        const ArrayView& view = particles.mass;
        if (view.is_dense())
            return {reinterpret_cast<const double*>(view.component[0]), n};
        masses_.assign(n, 1);
        for (std::size_t i = 0; view && i < n; ++i)
            masses_[i] = view.load(i);
        return masses_;
    }

    KeySorter sorter_;
    std::optional<AcceptanceCriterion> criterion_;
    std::vector<Vec3<double>> positions_; // copies for callers whose arrays are not dense
    std::vector<double> masses_;
};

} // namespace

void take_softenings(Octree& octree, const TreeParticles& particles)
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
