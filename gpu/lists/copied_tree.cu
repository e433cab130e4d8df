// Copies a tree from the host to the device, for evaluators of trees built on the device.
//
// Bytes over PCIe: 36 per particle (position and mass, order) in build(), 32 in refit(), and 8 more
// for per-particle softening. 16 bytes and the moments per cell, 512 bytes per node of the walk.
// Contraction: none.
#include <utility>

#include "chamomile/gpu/lists/copied_tree.cuh"

namespace chamomile {
namespace {

class CopiedTreeBuilder final : public TreeBuilder {
public:
    explicit CopiedTreeBuilder(std::shared_ptr<DeviceTree> tree) : tree_(std::move(tree)) {}

    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        host_->build(tree, particles, plan, profile);
        const TimedPhase phase(profile, "upload");
        begin();
        upload(tree_->order, tree.octree.order);
        upload_particles(tree.octree);
    }

    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        host_->refit(tree, particles, plan, profile);
        const TimedPhase phase(profile, "upload");
        begin();
        upload_particles(tree.octree);
    }

    void finish_nodes(Tree& tree, TargetGroups& groups, Profile& profile) override
    {
        host_->finish_nodes(tree, groups, profile);
        if (std::exchange(has_cells_, true))
            return;
        const TimedPhase phase(profile, "upload");
        check(cudaSetDevice(tree_->device), "choose the device");
        upload(tree_->cells, tree.octree.cells);
        upload(tree_->multipoles, tree.moments.multipole);
        upload(tree_->higher, tree.moments.higher);
        upload(tree_->cell_softening, tree.moments.softening);
        upload(tree_->nodes, tree.nodes.nodes);
    }

    std::pmr::memory_resource* memory() override { return host_->memory(); }

private:
    void begin()
    {
        check(cudaSetDevice(tree_->device), "choose the device");
        tree_->bytes_up = tree_->bytes_down = 0;
        tree_->has_targets = has_cells_ = false;
    }

    void upload_particles(const Octree& octree)
    {
        tree_->particles = octree.size;
        upload(tree_->sources, octree.sources);
        tree_->has_softenings = !octree.softening.empty();
        upload(tree_->softening, octree.softening);
    }

    template <class T, class Array>
    void upload(DeviceBuffer<T>& to, const Array& from)
    {
        tree_->bytes_up += from.size() * sizeof(T);
        tree_->staging.upload(to, from.data(), from.size(), tree_->stream);
    }

    std::unique_ptr<TreeBuilder> host_ = make_host_tree_builder();
    std::shared_ptr<DeviceTree> tree_;
    bool has_cells_ = false; // of the last build or refit, on the device
};

} // namespace

std::unique_ptr<TreeBuilder> make_copied_tree_builder(std::shared_ptr<DeviceTree> tree)
{
    return std::make_unique<CopiedTreeBuilder>(std::move(tree));
}

} // namespace chamomile
