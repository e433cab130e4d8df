// Builds the tree. Particles stay on the device, and the host gets the cells. Contraction: none, so
// that the tree matches the host's bitwise.
//
// PCIe, up: 32 bytes a particle (position, mass). Down: 16 bytes a cell (48 more for bounds if the
// host cuts groups), 512 bytes a walk node of about 7 cells, 88 bytes a group. Device memory, per
// particle: 32 bytes read and written by the gather in random order, 12 per pass of the sort, 32
// read by the moments of leaves. Per-particle softening adds 8 bytes up, copied with the masses
// during the sort, and 8 up and 16 down per group. On the device it adds 16 bytes read and 8
// written by the gather, and 24 written per cell.
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
        check_number(particles.count);
        const std::size_t n = particles.count;
        begin();
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
            upload_positions(particles, true);
            keys_.start_extent(here_.position, n, tree_->stream);
        }
        bool cells_on_host;
        {
            const TimedPhase phase(profile, "sort");
            start_sort(particles, plan);
            cells_.start(Index(plan.leaf_size));
            upload_masses(particles, true);
            upload_softenings(particles);
            cells_on_host = cells_.are_counted();
        }
        {
            const TimedPhase phase(profile, "cells");
            if (cells_on_host) {
                cells_.make();
                cells_.send(octree, down_);
            } else
                refine_and_divide(octree, particles, plan.leaf_size);
            gather_sources(here_);
        }
        gather_softenings(bool(particles.softening), particles.longest_softening);
        make_moments(tree, plan, profile);
    }

    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        begin();
        if (particles.count == 0)
            return;
        {
            const TimedPhase phase(profile, "upload");
            upload_positions(particles, true);
            here_.mass = nullptr; // the sources have them
            if (!particles.has_same_masses)
                upload_masses(particles, true);
            if (!particles.has_same_masses || !has_lengths_)
                upload_softenings(particles);
            gather_sources(here_, plan.periodicity);
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
        if (!cut_groups(groups, sizes, {cells, 0, cells}, targets))
            return TreeBuilder::make_groups(groups, tree, targets, sizes);
        assert(targets.active.empty());
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
            start_walk_nodes(tree.nodes, {*plan.criterion, root}, n, tree.octree.divided);
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
            start_walk_nodes(tree.nodes, {*plan.criterion, root}, n, tree.octree.divided);
    }

    RootCube root_cube(const TreeParticles& particles)
    {
        Box box;
        const bool are_finite = keys_.add_extent(box);
        if (!are_finite || !std::isfinite(box.longest_side()))
            return bounding_cube(host_positions(particles), particles.word); // throws
        return cube_around(box.low, box.high);
    }

    /// Queues the keys and the order.
    void start_sort(const TreeParticles& particles, const TreePlan& plan)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = particles.count;
        const RootCube cube = placed(root_cube(particles), plan.placement);
        keys_.start_sort(here_.position, n, cube, t.keys.reserve(n), t.order.reserve(n), t.stream);
    }

    /// Divides cells on the host when particles share a key; refines the order of particles.
    void refine_and_divide(Octree& octree, const TreeParticles& particles, int leaf_size)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = particles.count;
        find_boundaries(octree.boundaries, n);
        fetch_order(octree); // waits
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
