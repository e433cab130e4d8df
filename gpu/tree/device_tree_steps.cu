// Contraction: none, so that results match the host's bitwise.
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/gpu/tree/device_tree_steps.cuh"
#include "chamomile/gpu/tree/node_kernels.cuh"
#include "chamomile/gpu/tree/tree_kernels.cuh"

namespace chamomile {

void DeviceTreeSteps::begin()
{
    use_device();
    DeviceTree& t = *tree_;
    t.phase_memory.begin(t.stream);
    check(cudaStreamWaitEvent(t.stream, masses_uploaded_), "wait for the last masses");
    begun_.record(t.stream);
    check(cudaStreamWaitEvent(masses_stream_, begun_), "wait for the memory of masses");
    t.bytes_up = t.bytes_down = 0;
    t.has_targets = false;
}

void DeviceTreeSteps::upload_positions(const TreeParticles& particles, bool in_place)
{
    DeviceTree& t = *tree_;
    const ArrayView& position = particles.position;
    const std::size_t n = particles.count;
    if (position.on_device) {
        require_on_device(position, t.device);
        wait_for_owner();
        if (in_place && position.is_packed()) {
            here_.position = reinterpret_cast<const Vec3<double>*>(position.component[0]);
            return;
        }
        if (n > 0)
            gather_vectors(position, n, t.positions.reserve(n), t.stream);
    } else {
        t.bytes_up += n * sizeof(Vec3<double>);
        t.staging.upload(t.positions, host_positions(particles).data(), n, t.stream);
    }
    here_.position = t.positions.data();
}

void DeviceTreeSteps::upload_masses(const TreeParticles& particles, bool in_place)
{
    here_.mass = upload_numbers(particles.mass, particles, tree_->masses, host_masses_, in_place);
}

void DeviceTreeSteps::upload_softenings(const TreeParticles& particles)
{
    has_lengths_ = bool(particles.softening);
    if (has_lengths_)
        upload_numbers(particles.softening, particles, lengths_, host_lengths_, false);
}

/// Uploads a scalar of each particle while the keys are sorted, and returns where it is.
template <class Array>
const double* DeviceTreeSteps::upload_numbers(const ArrayView& numbers,
                                              const TreeParticles& particles, Array& to,
                                              std::vector<double>& memory, bool in_place)
{
    DeviceTree& t = *tree_;
    const std::size_t n = particles.count;
    const auto copy = [&](const double* from) {
        t.staging.upload(to, from, n, masses_stream_);
        t.bytes_up += n * sizeof(double);
    };
    if (numbers.on_device || !numbers) { // without an array all are 1
        require_on_device(numbers, t.device);
        if (numbers.on_device && !particles.position.on_device)
            wait_for_owner();
        if (in_place && numbers.is_packed()) {
            masses_uploaded_.record(masses_stream_);
            return reinterpret_cast<const double*>(numbers.component[0]);
        }
        gather_numbers(numbers, n, to.reserve(n), masses_stream_);
    } else if (numbers.is_dense()) {
        copy(reinterpret_cast<const double*>(numbers.component[0]));
    } else {
        memory.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            memory[i] = numbers.load(i);
        copy(memory.data());
    }
    masses_uploaded_.record(masses_stream_);
    return to.data();
}

std::span<const Vec3<double>> DeviceTreeSteps::host_positions(const TreeParticles& particles)
{
    const ArrayView& view = particles.position;
    const std::size_t n = particles.count;
    if (view.is_dense())
        return {reinterpret_cast<const Vec3<double>*>(view.component[0]), n};
    host_positions_.resize(n);
    if (view.on_device) {
        tree_->staging.download(host_positions_.data(), here_.position, n, tree_->stream);
        tree_->bytes_down += n * sizeof(Vec3<double>);
    } else {
#pragma omp parallel for if (n > worth_threads)
        for (std::size_t i = 0; i < n; ++i)
            host_positions_[i] = view.load_vector(i);
    }
    return host_positions_;
}

void DeviceTreeSteps::gather_sources(const Uploaded& particles, Periodicity box)
{
    DeviceTree& t = *tree_;
    const std::size_t n = t.particles;
    check(cudaStreamWaitEvent(t.stream, masses_uploaded_), "wait for the masses");
    Source* sources = t.sources.reserve(n);
    if (box)
        gather_images<<<blocks_of(n), block_size, 0, t.stream>>>(particles.position, particles.mass,
                                                                 t.order.data(), n, box, sources);
    else
        gather<<<blocks_of(n), block_size, 0, t.stream>>>(particles.position, particles.mass,
                                                          t.order.data(), n, sources);
    check(cudaGetLastError(), "launch the gather");
}

void DeviceTreeSteps::gather_softenings(bool has_lengths, double longest)
{
    DeviceTree& t = *tree_;
    const std::size_t n = t.particles;
    t.has_softenings = has_lengths;
    if (!has_lengths || n == 0)
        return;
    chamomile::gather_softenings<<<blocks_of(n), block_size, 0, t.stream>>>(
        lengths_.data(), longest, t.order.data(), n, t.softening.reserve(n));
    check(cudaGetLastError(), "launch the gather of softenings");
}

void DeviceTreeSteps::sum_moments(Index n, int order)
{
    DeviceTree& t = *tree_;
    summed_ = n;
    Index *const mothers = mothers_.reserve(n), *const missing = missing_.reserve(n);
    Multipole* const multipoles = t.multipoles.reserve(n);
    Box* const bounds = t.bounds.reserve(n);
    HigherMoments* const higher = order <= 2 ? nullptr : t.higher.reserve(n);
    find_mothers<<<blocks_of(n), block_size, 0, t.stream>>>(t.cells.data(), n, mothers, missing);
    const auto sum = order <= 2   ? chamomile::sum_moments<2>
                     : order == 3 ? chamomile::sum_moments<3>
                                  : chamomile::sum_moments<4>;
    sum<<<blocks_of(n), block_size, 0, t.stream>>>(t.cells.data(), n, t.sources.data(), mothers,
                                                   missing, multipoles, bounds, higher);
    check(cudaGetLastError(), "launch the moments");
    if (!t.has_softenings)
        return;
    CellSoftening* const softenings = t.cell_softening.reserve(n);
    find_mothers<<<blocks_of(n), block_size, 0, t.stream>>>(t.cells.data(), n, mothers, missing);
    sum_softenings<<<blocks_of(n), block_size, 0, t.stream>>>(
        {t.cells.data(), t.sources.data(), t.softening.data(), multipoles, softenings}, n, mothers,
        missing);
    check(cudaGetLastError(), "launch the softenings of cells");
    download(host_softening_.reserve(1), t.cell_softening.data(), 1, t.stream);
}

void DeviceTreeSteps::send_moments(Index n, Moments& moments, const TreePlan& plan)
{
    DeviceTree& t = *tree_;
    PieceLimits group = plan.groups.limits_of_groups(), cluster = plan.groups.limits_of_clusters();
    cuts_groups_ = plan.has_no_listed_targets && DeviceGroups::are_worth_it(t.particles);
    if (cuts_groups_)
        group = cluster = {~0ull, 0, 0, 0, Box::infinity}; // only the root is needed
    const std::size_t sent = cuts_groups_ ? 1 : n;
    if (moments.multipole.size() < sent) { // never shrinks: new entries would be cleared
        resize_with_room(moments.multipole, sent);
        resize_with_room(moments.bounds, sent);
    }
    check(cudaMemsetAsync(sent_.reserve(1), 0, sizeof(unsigned long long), t.stream),
          "clear a count");
    send(n, group, t.bounds.data(), moments.bounds.data());
    send(n, cluster, t.multipoles.data(), moments.multipole.data());
    download(host_sent_.reserve(1), sent_.data(), 1, t.stream);
    moments_here_.record(t.stream);
}

template <class Moment>
void DeviceTreeSteps::send(Index n, const PieceLimits& limits, const Moment* moments, Moment* host)
{
    chamomile::send_moments<<<blocks_of(n * (sizeof(Moment) / sizeof(double))), block_size, 0,
                              tree_->stream>>>(tree_->cells.data(), n, mothers_.data(),
                                               tree_->bounds.data(), limits.targets,
                                               limits.longest_side, moments, host, sent_.data());
    check(cudaGetLastError(), "launch the copy of moments to the host");
}

/// Queues the nodes behind the moments.
void DeviceTreeSteps::start_walk_nodes(WalkNodes& here, const NodePlan& plan, Index n,
                                       std::size_t divided)
{
    DeviceTree& t = *tree_;
    const std::size_t nodes = 1 + divided;
    Index* node_of = mothers_.data(); // no longer needed
    const auto is_divided = thrust::make_transform_iterator(
        thrust::make_counting_iterator(Index(0)), IsDivided{t.cells.data()});
    call_thrust("launch the count of nodes", [&] {
        thrust::exclusive_scan(thrust::cuda::par_nosync(scratch_).on(t.stream), is_divided,
                               is_divided + n, node_of, Index(1)); // node 0 holds the root
    });
    check(cudaMemsetAsync(t.nodes.reserve(nodes), 0, nodes * sizeof(WalkNode), t.stream),
          "clear the nodes");
    const NodeTask task{t.cells.data(),  node_of,        t.multipoles.data(),
                        t.bounds.data(), t.nodes.data(), 0};
    with_reach(t, plan.criterion, plan.root, here.units, [&](const auto& reach_of) {
        fill_nodes<<<blocks_of(n), block_size, 0, t.stream>>>(task, n, reach_of);
    });
    check(cudaGetLastError(), "launch the nodes");
    filled_.record(t.stream);
    if (here.nodes.size() < nodes)
        resize_with_room(here.nodes, nodes);
    check(cudaStreamWaitEvent(down_, filled_), "wait for the nodes");
    copy_nodes<<<8, block_size, 0, down_>>>(reinterpret_cast<const uint4*>(t.nodes.data()),
                                            nodes * (sizeof(WalkNode) / sizeof(uint4)),
                                            reinterpret_cast<uint4*>(here.nodes.data()));
    check(cudaGetLastError(), "launch the copy of nodes to the host");
    t.bytes_down += nodes * sizeof(WalkNode);
}

bool DeviceTreeSteps::cut_groups(TargetGroups& groups, const GroupSizes& sizes,
                                 const CellRange& cells, const SourceTargets& targets)
{
    if (!cuts_groups_ || cells.all == 0)
        return false;
    use_device();
    if (targets.rung)
        targets_.find(groups, targets.rung, targets.first);
    else
        groups.targets = {};
    groups_.cut(groups, sizes, cells, targets.rung ? targets_.before() : nullptr);
    return true;
}

void DeviceTreeSteps::fetch_order(Octree& octree)
{
    use_device();
    const std::size_t n = tree_->particles;
    octree.order.resize(n);
    tree_->staging.download(octree.order.data(), tree_->order.data(), n, tree_->stream);
    tree_->bytes_down += n * sizeof(Index);
}

void DeviceTreeSteps::fetch_sources(Octree& octree)
{
    use_device();
    const std::size_t n = tree_->particles;
    octree.sources.resize(n);
    tree_->staging.download(octree.sources.data(), tree_->sources.data(), n, tree_->stream);
    tree_->bytes_down += n * sizeof(Source);
    if (!tree_->has_softenings)
        return;
    octree.softening.resize(n);
    tree_->staging.download(octree.softening.data(), tree_->softening.data(), n, tree_->stream);
    tree_->bytes_down += n * sizeof(double);
}

void DeviceTreeSteps::fetch_bounds(Moments& moments)
{
    use_device();
    const std::size_t n = summed_;
    if (moments.bounds.size() < n)
        resize_with_room(moments.bounds, n);
    tree_->staging.download(moments.bounds.data(), tree_->bounds.data(), n, tree_->stream);
    tree_->bytes_down += n * sizeof(Box);
}

void DeviceTreeSteps::find_softenings(TargetGroups& groups)
{
    if (tree_->has_softenings)
        targets_.find_softenings(groups);
    else
        groups.group_softening.clear();
    join_softenings(groups);
}

void DeviceTreeSteps::find_boundaries(Boundaries& between, std::size_t n)
{
    DeviceTree& t = *tree_;
    between.resize(n);
    chamomile::find_boundaries<<<blocks_of(n), block_size, 0, t.stream>>>(
        t.keys.data(), n, levels_.reserve(n), octants_.reserve(n),
        min_.reserve(between.block_min.size()));
    check(cudaGetLastError(), "launch the boundaries");
    download(between.level.data(), levels_.data(), n, t.stream);
    download(between.octants.data(), octants_.data(), n, t.stream);
    download(between.block_min.data(), min_.data(), between.block_min.size(), t.stream);
    t.bytes_down += 2 * n;
}

} // namespace chamomile
