// Builds the tree: particles never leave the device once they are there, and the host gets the
// cells. Contraction: none, so that the tree has the bits of the host's.
//
// Bytes per particle over PCIe: 32 up (position, mass); per cell 64 down (the cell, its bounds;
// multipoles of the few above the clusters); per node of the walk 512 down, which has about 7
// cells. On the device: 32 read and written by the gather in random order, 12 per
// pass of the sort, 32 read by the moments of the leaves. Softening lengths of particles' own add 8
// bytes up, which come with the masses while the keys are sorted, 16 read and 8 written by their
// gather, 24 written per cell, and 8 up and 16 down per group.
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/gpu/tree/device_cells.cuh"
#include "chamomile/gpu/tree/device_targets.cuh"
#include "chamomile/gpu/tree/other_cards.cuh"
#include "chamomile/gpu/tree/tree_kernels.cuh"

namespace chamomile {
namespace {

class CudaTreeBuilder final : public TreeBuilder {
public:
    CudaTreeBuilder(std::shared_ptr<DeviceTree> tree, std::shared_ptr<PinnedMemory> pinned,
                    std::shared_ptr<OtherCards> others)
        : tree_(std::move(tree)), pinned_(std::move(pinned)), others_(std::move(others)),
          targets_(*tree_), keys_(scratch_), cells_(*tree_, scratch_)
    {}

    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        Octree& octree = tree.octree;
        Moments& moments = tree.moments;
        check(cudaSetDevice(tree_->device), "choose the device");
        check_number(particles.count);
        if (others_)
            others_->start();
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
            const std::size_t own = upload_positions(particles);
            others_have_ = own < n;
            keys_.start_extent(tree_->positions.data(), own, tree_->stream);
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
            if (are_cells_here)
                cells_.finish(octree, down_);
            else
                refine_and_divide(octree, particles, plan.leaf_size);
            gather_sources();
        }
        gather_softenings(particles);
        const bool is_shared = others_ && OtherCards::share(n) && plan.criterion;
        if (is_shared)
            others_->copy_particles();
        make_moments(tree, plan, profile);
        if (is_shared)
            others_->copy_cells(octree, plan.criterion->order);
    }

    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        check(cudaSetDevice(tree_->device), "choose the device");
        if (others_)
            others_->start();
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
            gather_softenings(particles);
        }
        make_moments(tree, plan, profile);
    }

    void finish_nodes(Tree&, const TargetGroups&, Profile& profile) override
    {
        const TimedPhase phase(profile, "nodes");
        check(cudaSetDevice(tree_->device), "choose the device");
        down_.wait();
    }

    void fetch_order(Octree& octree) override
    {
        check(cudaSetDevice(tree_->device), "choose the device");
        octree.order.resize(octree.size);
        tree_->staging.download(octree.order.data(), tree_->order.data(), octree.size,
                                tree_->stream);
        tree_->bytes_down += octree.size * sizeof(Index);
    }

    void fetch_sources(Octree& octree) override
    {
        check(cudaSetDevice(tree_->device), "choose the device");
        octree.sources.resize(octree.size);
        tree_->staging.download(octree.sources.data(), tree_->sources.data(), octree.size,
                                tree_->stream);
        tree_->bytes_down += octree.size * sizeof(Source);
        if (!tree_->has_softenings)
            return;
        octree.softening.resize(octree.size);
        tree_->staging.download(octree.softening.data(), tree_->softening.data(), octree.size,
                                tree_->stream);
        tree_->bytes_down += octree.size * sizeof(double);
    }

    void fetch_bounds(Moments& moments) override
    {
        check(cudaSetDevice(tree_->device), "choose the device");
        const std::size_t n = moments.bounds.size();
        tree_->staging.download(moments.bounds.data(), tree_->bounds.data(), n, tree_->stream);
        tree_->bytes_down += n * sizeof(Box);
    }

    void find_targets(TargetGroups& groups, const std::uint8_t* level, int first) override
    {
        targets_.find(groups, level, first);
    }

    void find_softenings(TargetGroups& groups, const Octree&) override
    {
        if (tree_->has_softenings)
            targets_.find_softenings(groups);
        else
            groups.group_softening.clear();
        join_softenings(groups);
    }

    void find_boxes(TargetGroups& groups, const Octree&, double) override
    {
        targets_.find_boxes(groups);
    }

    std::pmr::memory_resource* memory() override { return pinned_.get(); }

private:
    void make_moments(Tree& tree, const TreePlan& plan, Profile& profile)
    {
        Octree& octree = tree.octree;
        Moments& moments = tree.moments;
        const TimedPhase phase(profile, "moments");
        start_moments(octree, moments, plan);
        const bool has_softenings = tree_->has_softenings;
        if (plan.criterion && !has_softenings)
            start_nodes(tree, ReachByCriterion{*plan.criterion});
        check(status_when_done(moments_here_), "sum the moments");
        check(status_when_done(cells_here_), "copy the cells");
        tree_->bytes_down += *host_sent_.data() * sizeof(double);
        if (plan.criterion)
            tree.nodes.units = WalkUnits::of(moments.multipole[0], moments.bounds[0]);
        moments.softening.assign(has_softenings ? 1 : 0, {});
        if (!has_softenings)
            return;
        moments.softening[0] = *host_softening_.data();
        if (plan.criterion) // what a reach takes from the root is computed here
            start_nodes(tree,
                        ReachBySoftening{{*plan.criterion, moments.multipole[0], tree.nodes.units},
                                         tree_->cell_softening.data()});
    }

    /// Returns how many positions no other card has.
    std::size_t upload_positions(const TreeParticles& particles)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = particles.count;
        if (particles.position.on_device) {
            require_on_device(particles.position, t.device);
            wait_for_owner();
            gather_vectors(particles.position, n, t.positions.reserve(n), t.stream);
            return others_ && others_->bring(n) ? others_->take_positions(n) : n;
        }
        const Vec3<double>* const from = host_positions(particles).data();
        t.bytes_up += n * sizeof(Vec3<double>);
        if (others_ && others_->bring(n))
            return others_->upload_positions(from, n);
        t.staging.upload(t.positions, from, n, t.stream);
        return n;
    }

    void upload_masses(const TreeParticles& particles)
    {
        upload_numbers(particles.mass, particles, tree_->masses, host_masses_);
    }

    void upload_softenings(const TreeParticles& particles)
    {
        has_lengths_ = bool(particles.softening);
        if (has_lengths_)
            upload_numbers(particles.softening, particles, lengths_, host_lengths_);
    }

    /// Uploads a number of each particle, while the keys are sorted.
    void upload_numbers(const ArrayView& numbers, const TreeParticles& particles,
                        DeviceBuffer<double>& to, std::vector<double>& memory)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = particles.count;
        if (numbers.on_device || !numbers) { // without an array all are 1
            require_on_device(numbers, t.device);
            if (numbers.on_device && !particles.position.on_device)
                wait_for_owner();
            gather_numbers(numbers, n, to.reserve(n), masses_stream_);
        } else if (numbers.is_dense()) {
            copy_numbers(reinterpret_cast<const double*>(numbers.component[0]), n, to);
        } else {
            memory.resize(n);
            for (std::size_t i = 0; i < n; ++i)
                memory[i] = numbers.load(i);
            copy_numbers(memory.data(), n, to);
        }
        masses_uploaded_.record(masses_stream_);
    }

    void copy_numbers(const double* from, std::size_t n, DeviceBuffer<double>& to)
    {
        if (others_ && others_->bring(n))
            others_->upload_numbers(to, from, n, masses_stream_);
        else
            tree_->staging.upload(to, from, n, masses_stream_);
        tree_->bytes_up += n * sizeof(double);
    }

    /// Returns the positions where they lie, if that will do, or a copy.
    std::span<const Vec3<double>> host_positions(const TreeParticles& particles)
    {
        const ArrayView& view = particles.position;
        const std::size_t n = particles.count;
        if (view.is_dense())
            return {reinterpret_cast<const Vec3<double>*>(view.component[0]), n};
        host_positions_.resize(n);
        if (view.on_device) {
            tree_->staging.download(host_positions_.data(), tree_->positions.data(), n,
                                    tree_->stream);
            tree_->bytes_down += n * sizeof(Vec3<double>);
        } else {
#pragma omp parallel for if (n > worth_threads)
            for (std::size_t i = 0; i < n; ++i)
                host_positions_[i] = view.load_vector(i);
        }
        return host_positions_;
    }

    RootCube root_cube(const TreeParticles& particles)
    {
        Box box;
        bool are_finite = keys_.add_extent(box);
        if (others_have_)
            are_finite = others_->add_extent(box) && are_finite;
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
        if (others_have_)
            others_->start_sort(keys_, scratch_, cube);
        else
            keys_.start_sort(t.positions.data(), n, 0, cube, t.keys.reserve(n), t.order.reserve(n),
                             t.stream);
    }

    /// Divides particles that share keys on the host, which refines their order.
    void refine_and_divide(Octree& octree, const TreeParticles& particles, int leaf_size)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = particles.count;
        Boundaries& between = octree.boundaries;
        between.resize(n);
        find_boundaries<<<blocks_of(n), block_size, 0, t.stream>>>(
            t.keys.data(), n, levels_.reserve(n), octants_.reserve(n),
            least_.reserve(between.least.size()));
        check(cudaGetLastError(), "launch the boundaries");
        download(between.level.data(), levels_.data(), n, t.stream);
        download(between.octants.data(), octants_.data(), n, t.stream);
        download(between.least.data(), least_.data(), between.least.size(), t.stream);
        fetch_order(octree); // which waits
        divide_into_cells(octree, host_positions(particles), leaf_size);
        t.staging.upload(t.order, octree.order.data(), n, t.stream);
        const std::size_t cells = octree.cells.size();
        chamomile::upload(t.cells, octree.cells.data(), cells, t.stream);
        t.bytes_up += n * sizeof(Index) + cells * sizeof(Cell);
        t.bytes_down += 2 * n;
    }

    /// Gathers the sources. In a box those of the last build or refit are there, and say which
    /// images are wanted.
    void gather_sources(Periodicity box = {})
    {
        DeviceTree& t = *tree_;
        const std::size_t n = t.particles;
        check(cudaStreamWaitEvent(t.stream, masses_uploaded_), "wait for the masses");
        Source* sources = t.sources.reserve(n);
        if (box)
            gather_images<<<blocks_of(n), block_size, 0, t.stream>>>(
                t.positions.data(), t.masses.data(), t.order.data(), n, box, sources);
        else
            gather<<<blocks_of(n), block_size, 0, t.stream>>>(t.positions.data(), t.masses.data(),
                                                              t.order.data(), n, sources);
        check(cudaGetLastError(), "launch the gather");
    }

    /// Gathers the softenings of the sources, which are there.
    void gather_softenings(const TreeParticles& particles)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = t.particles;
        t.has_softenings = bool(particles.softening);
        if (!t.has_softenings)
            return;
        chamomile::gather_softenings<<<blocks_of(n), block_size, 0, t.stream>>>(
            lengths_.data(), particles.longest_softening, t.order.data(), n,
            t.softening.reserve(n));
        check(cudaGetLastError(), "launch the gather of softenings");
    }

    void start_moments(const Octree& octree, Moments& moments, const TreePlan& plan)
    {
        DeviceTree& t = *tree_;
        const int order = plan.criterion ? plan.criterion->order : 0;
        const Index n = Index(octree.cells.size());
        Index *const mothers = mothers_.reserve(n), *const missing = missing_.reserve(n);
        Multipole* const multipoles = t.multipoles.reserve(n);
        Box* const bounds = t.bounds.reserve(n);
        HigherMoments* const higher = order <= 2 ? nullptr : t.higher.reserve(n);
        find_mothers<<<blocks_of(n), block_size, 0, t.stream>>>(t.cells.data(), n, mothers,
                                                                missing);
        const auto sum = order <= 2 ? sum_moments<2> : order == 3 ? sum_moments<3> : sum_moments<4>;
        sum<<<blocks_of(n), block_size, 0, t.stream>>>(t.cells.data(), n, t.sources.data(), mothers,
                                                       missing, multipoles, bounds, higher);
        check(cudaGetLastError(), "launch the moments");
        if (t.has_softenings) {
            CellSoftening* const softenings = t.cell_softening.reserve(n);
            find_mothers<<<blocks_of(n), block_size, 0, t.stream>>>(t.cells.data(), n, mothers,
                                                                    missing);
            sum_softenings<<<blocks_of(n), block_size, 0, t.stream>>>(
                {t.cells.data(), t.sources.data(), t.softening.data(), multipoles, softenings}, n,
                mothers, missing);
            check(cudaGetLastError(), "launch the softenings of cells");
        }
        if (t.has_softenings)
            download(host_softening_.reserve(1), t.cell_softening.data(), 1, t.stream);
        resize_with_room(moments.multipole, n);
        resize_with_room(moments.bounds, n);
        const std::uint64_t group = std::uint64_t(plan.groups.group),
                            cluster = group * std::uint64_t(plan.groups.cluster);
        const double side = plan.groups.longest_side;
        check(cudaMemsetAsync(sent_.reserve(1), 0, sizeof(unsigned long long), t.stream),
              "clear a count");
        send(octree, bounds, group, side, bounds, moments.bounds.data());
        send(octree, bounds, cluster, clusters_to_groups * side, multipoles,
             moments.multipole.data());
        download(host_sent_.reserve(1), sent_.data(), 1, t.stream);
        moments_here_.record(t.stream);
        cells_here_.record(down_);
    }

    template <class Moment>
    void send(const Octree& octree, const Box* bounds, std::uint64_t most, double longest,
              const Moment* moments, Moment* host)
    {
        const Index n = Index(octree.cells.size());
        send_moments<<<blocks_of(n * (sizeof(Moment) / sizeof(double))), block_size, 0,
                       tree_->stream>>>(tree_->cells.data(), n, mothers_.data(), bounds, most,
                                        longest, moments, host, sent_.data());
        check(cudaGetLastError(), "launch the way of moments to the host");
    }

    /// The nodes follow the moments, while the host makes groups.
    template <class Reach>
    void start_nodes(Tree& tree, const Reach& reach_of)
    {
        DeviceTree& t = *tree_;
        const Index n = Index(tree.octree.cells.size());
        const std::size_t nodes = 1 + tree.octree.divided;
        Index* node_of = mothers_.data(); // no longer needed
        const auto divided = thrust::make_transform_iterator(
            thrust::make_counting_iterator(Index(0)), IsDivided{t.cells.data()});
        call_thrust("launch the count of nodes", [&] {
            thrust::exclusive_scan(thrust::cuda::par_nosync(scratch_).on(t.stream), divided,
                                   divided + n, node_of, Index(1)); // the root's own is the first
        });
        check(cudaMemsetAsync(t.nodes.reserve(nodes), 0, nodes * sizeof(WalkNode), t.stream),
              "clear the nodes");
        fill_nodes<<<blocks_of(n), block_size, 0, t.stream>>>(t.cells.data(), n, node_of,
                                                              t.multipoles.data(), t.bounds.data(),
                                                              reach_of, t.nodes.data());
        check(cudaGetLastError(), "launch the nodes");
        filled_.record(t.stream);
        resize_with_room(tree.nodes.nodes, nodes);
        check(cudaStreamWaitEvent(down_, filled_), "wait for the nodes");
        download(tree.nodes.nodes.data(), t.nodes.data(), nodes, down_);
        t.bytes_down += nodes * sizeof(WalkNode);
    }

    std::shared_ptr<DeviceTree> tree_; // its device is the current one when the streams are made
    std::shared_ptr<PinnedMemory> pinned_;
    std::shared_ptr<OtherCards> others_; // null: none
    bool others_have_ = false;           // positions of the last build
    DeviceTargets targets_;
    CachingAllocator scratch_;
    CardKeys keys_;
    DeviceCells cells_;
    DeviceBuffer<std::uint8_t> levels_, octants_, least_; // of particles that share keys
    DeviceBuffer<Index> mothers_, missing_;
    std::vector<Vec3<double>> host_positions_; // of callers whose arrays are not dense
    std::vector<double> host_masses_, host_lengths_;
    DeviceBuffer<double> lengths_; // the caller's order
    bool has_lengths_ = false;     // of the last build or refit that uploaded them
    PinnedBuffer<CellSoftening> host_softening_;
    DeviceBuffer<unsigned long long> sent_; // numbers of moments that the host gets
    PinnedBuffer<unsigned long long> host_sent_;
    Stream masses_stream_; // masses come while the keys are sorted
    Stream down_;          // what the host reads goes down while the tree is built on
    Event masses_uploaded_, cells_here_, moments_here_, filled_;
};

} // namespace

std::unique_ptr<TreeBuilder> make_cuda_tree_builder(std::shared_ptr<DeviceTree> tree,
                                                    std::shared_ptr<PinnedMemory> pinned,
                                                    std::shared_ptr<OtherCards> others)
{
    return std::make_unique<CudaTreeBuilder>(std::move(tree), std::move(pinned), std::move(others));
}

} // namespace chamomile
