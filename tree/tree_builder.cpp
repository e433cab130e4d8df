#include "tree/tree_builder.hpp"

namespace chamomile {
namespace {

class HostTreeBuilder final : public TreeBuilder {
public:
    void build(Tree& tree, std::span<const Vec3<double>> positions, std::span<const double> masses,
               const TreePlan& plan, Profile& profile) override
    {
        criterion_ = plan.criterion;
        {
            const TimedPhase phase(profile, "build");
            build_octree(tree.octree, positions, masses, {plan.leaf_size, plan.placement}, sorter_);
        }
        const TimedPhase phase(profile, "moments");
        compute_moments(tree.moments, tree.octree, criterion_ ? criterion_->order : 0);
    }

    void finish_nodes(Tree& tree) override
    {
        make_walk_nodes(tree.nodes, tree.octree, tree.moments, *criterion_);
    }

    std::pmr::memory_resource* memory() override { return large_memory(); }

private:
    KeySorter sorter_;
    std::optional<AcceptanceCriterion> criterion_;
};

} // namespace

std::unique_ptr<TreeBuilder> make_host_tree_builder()
{
    return std::make_unique<HostTreeBuilder>();
}

} // namespace chamomile
