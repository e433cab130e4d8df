// Builds the tree: particles never leave the device once they are there, and the host gets the
// cells. Contraction: none, so that the tree has the bits of the host's.
//
// Bytes per particle over PCIe: 32 up (position, mass); per cell 16 down (and 48, its bounds, where
// the host cuts groups); per node of the walk 512 down, which has about 7 cells; per group 88. On
// the device: 32 read and written by the gather in random order, 12 per pass of the sort, 32 read
// by the moments of the leaves. Softening lengths of particles' own add 8 bytes up, which come with
// the masses while the keys are sorted, 16 read and 8 written by their gather, 24 written per cell,
// and 8 up and 16 down per group.
#include <cassert>

#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/gpu/tree/device_tree_steps.cuh"

namespace chamomile {
namespace {

class CudaTreeBuilder final : public TreeBuilder, DeviceTreeSteps {
public:
    CudaTreeBuilder(std::shared_ptr<DeviceTree> tree, std::shared_ptr<PinnedMemory> pinned)
        : DeviceTreeSteps(std::move(tree), std::move(pinned))
    {}

    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        Octree& octree = tree.octree;
        Moments& moments = tree.moments;
        use_device();
        check_number(particles.count);
        const std::size_t n = particles.count;
        tree_->bytes_up = tree_->bytes_down = 0;
        tree_->has_targets = false;
        octree.size = tree_->particles = n;
        octree.order.clear();
        octree.sources.clear();
        octree.softening.clear();
        has_lengths_ = false;
        if (n == 0) {
            octree.cells.clear();
            moments.multipole.clear();
            moments.bounds.clear();
            tree.nodes.nodes.clear();
            moments.softening.clear();
            tree_->has_softenings = false;
            return;
        }
        {
            const TimedPhase phase(profile, "upload");
            upload_positions(particles);
            keys_.start_extent(tree_->positions.data(), n, tree_->stream);
        }
        bool are_cells_here;
        {
            const TimedPhase phase(profile, "sort");
            start_sort(particles, plan);
            cells_.start(Index(plan.leaf_size));
            upload_masses(particles);
            upload_softenings(particles);
            are_cells_here = cells_.are_counted();
        }
        {
            const TimedPhase phase(profile, "cells");
            if (are_cells_here) {
                cells_.make();
                cells_.send(octree, down_);
            } else
                refine_and_divide(octree, particles, plan.leaf_size);
            gather_sources();
        }
        gather_softenings(bool(particles.softening), particles.longest_softening);
        make_moments(tree, plan, profile);
    }

    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        use_device();
        tree_->bytes_up = tree_->bytes_down = 0;
        if (particles.count == 0)
            return;
        {
            const TimedPhase phase(profile, "upload");
            upload_positions(particles);
            tree_->has_targets = false;
            if (!particles.has_same_masses)
                upload_masses(particles);
            if (!particles.has_same_masses || !has_lengths_)
                upload_softenings(particles);
            gather_sources(plan.periodicity);
            tree.octree.softening.clear();
            gather_softenings(bool(particles.softening), particles.longest_softening);
        }
        make_moments(tree, plan, profile);
    }

    void make_groups(TargetGroups& groups, Tree& tree, const SourceTargets& targets,
                     const GroupSizes& sizes) override
    {
        const Index cells = Index(tree.octree.cells.size());
        groups.target_count = tree_->particles;
        if (!cut_groups(groups, sizes, cells, 0, cells))
            return TreeBuilder::make_groups(groups, tree, targets, sizes);
        assert(!targets.rung && targets.active.empty());
        DeviceTreeSteps::find_softenings(groups);
    }

    void finish_nodes(Tree&, TargetGroups&, Profile& profile) override
    {
        const TimedPhase phase(profile, "nodes");
        use_device();
        down_.wait();
    }

    void fetch_order(Octree& octree) override { DeviceTreeSteps::fetch_order(octree); }
    void fetch_sources(Octree& octree) override { DeviceTreeSteps::fetch_sources(octree); }
    void fetch_bounds(Moments& moments) override { DeviceTreeSteps::fetch_bounds(moments); }
    void find_targets(TargetGroups& groups, const std::uint8_t* level, int first) override
    {
        targets_.find(groups, level, first);
    }
    void find_softenings(TargetGroups& groups, const Octree&) override
    {
        DeviceTreeSteps::find_softenings(groups);
    }
    void find_boxes(TargetGroups& groups, const Octree&, double) override
    {
        targets_.find_boxes(groups);
    }
    std::pmr::memory_resource* memory() override { return pinned_.get(); }

private:
    void make_moments(Tree& tree, const TreePlan& plan, Profile& profile)
    {
        Moments& moments = tree.moments;
        const TimedPhase phase(profile, "moments");
        const Index n = Index(tree.octree.cells.size());
        sum_moments(n, plan.criterion ? plan.criterion->order : 0);
        send_moments(n, moments, plan);
        cells_here_.record(down_);
        const bool has_softenings = tree_->has_softenings;
        Multipole root;
        if (plan.criterion && !has_softenings)
            start_nodes(tree.nodes, {*plan.criterion, root}, n, tree.octree.divided);
        check(status_when_done(moments_here_), "sum the moments");
        check(status_when_done(cells_here_), "copy the cells");
        tree_->bytes_down += *host_sent_.data() * sizeof(double);
        if (plan.criterion)
            tree.nodes.units = WalkUnits::of(moments.multipole[0], moments.bounds[0]);
        moments.softening.assign(has_softenings ? 1 : 0, {});
        if (!has_softenings)
            return;
        moments.softening[0] = *host_softening_.data();
        root = moments.multipole[0];
        if (plan.criterion)
            start_nodes(tree.nodes, {*plan.criterion, root}, n, tree.octree.divided);
    }

    RootCube root_cube(const TreeParticles& particles)
    {
        Box box;
        const bool are_finite = keys_.add_extent(box);
        if (!are_finite || !std::isfinite(box.longest_side()))
            return bounding_cube(host_positions(particles)); // which says what is wrong
        return cube_around(box.low, box.high);
    }

    /// Starts to make keys and order.
    void start_sort(const TreeParticles& particles, const TreePlan& plan)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = particles.count;
        const RootCube cube = placed(root_cube(particles), plan.placement);
        keys_.start_sort(t.positions.data(), n, cube, t.keys.reserve(n), t.order.reserve(n),
                         t.stream);
    }

    /// Divides particles that share keys on the host, which refines their order.
    void refine_and_divide(Octree& octree, const TreeParticles& particles, int leaf_size)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = particles.count;
        find_boundaries(octree.boundaries, n);
        fetch_order(octree); // which waits
        divide_into_cells(octree, host_positions(particles), leaf_size);
        t.staging.upload(t.order, octree.order.data(), n, t.stream);
        const std::size_t cells = octree.cells.size();
        chamomile::upload(t.cells, octree.cells.data(), cells, t.stream);
        t.bytes_up += n * sizeof(Index) + cells * sizeof(Cell);
    }
};

} // namespace

std::unique_ptr<TreeBuilder> make_cuda_tree_builder(std::shared_ptr<DeviceTree> tree,
                                                    std::shared_ptr<PinnedMemory> pinned)
{
    return std::make_unique<CudaTreeBuilder>(std::move(tree), std::move(pinned));
}

} // namespace chamomile
