// Builds the tree: particles never leave the device once they are there, the host works on boundaries
// and cells alone.
//
// Bytes per particle over PCIe: 32 up (position, mass), 2 down (boundary); per cell 16 up (the cell), 128
// down (moments and bounds); per node of the walk 512 down, which has about 7 cells. On the device: 32 read and written by the gather in random order, 12 per
// pass of the sort, 32 read by the moments of the leaves.
#include "gpu/device_tree.cuh"

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "gpu/kept_memory.cuh"
#include "tree/cell_moments.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256;

unsigned blocks_of(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

/// The extent of the positions seen by one block.
struct Extent {
    Box box;
    double probe; ///< 0; NaN if a coordinate is not finite
};

__global__ void measure_extent(const Vec3<double>* positions, std::size_t n, Extent* of_block)
{
    __shared__ double shared[7][block_size];
    Box box;
    double probe = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * block_size) {
        const Vec3<double> p = positions[i];
        box.add(p);
        probe += 0 * (p.x + p.y + p.z);
    }
    const unsigned t = threadIdx.x;
    const double mine[7] = {box.low.x, box.low.y, box.low.z, -box.high.x,
                            -box.high.y, -box.high.z, probe};
    for (int f = 0; f < 7; ++f)
        shared[f][t] = mine[f];
    for (unsigned half = block_size / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            for (int f = 0; f < 6; ++f)
                shared[f][t] = fmin(shared[f][t], shared[f][t + half]);
            shared[6][t] += shared[6][t + half];
        }
    }
    if (t == 0)
        of_block[blockIdx.x] = {{{shared[0][0], shared[1][0], shared[2][0]},
                                 {-shared[3][0], -shared[4][0], -shared[5][0]}},
                                shared[6][0]};
}

__global__ void compute_keys(const Vec3<double>* positions, std::size_t n, RootCube cube, Key* keys,
                             Index* order)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i >= n)
        return;
    keys[i] = morton_key(positions[i], cube);
    order[i] = Index(i);
}

static_assert(Boundaries::block == block_size);

/// Entry k of level and octants, the least level of each block, and whether more than `most` sorted
/// particles share one key.
__global__ void find_boundaries(const Key* keys, std::size_t n, std::size_t most,
                                std::uint8_t* level, std::uint8_t* octants, std::uint8_t* least,
                                int* keys_are_shared)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    unsigned own = key_levels;
    if (k < n) {
        const Boundary b = boundary_between(keys[k], keys[k + 1 < n ? k + 1 : k]);
        level[k] = b.level;
        octants[k] = b.octants;
        own = b.level;
        if (k + most < n && keys[k] == keys[k + most])
            *keys_are_shared = 1;
    }
    __shared__ unsigned of_warp[block_size / 32];
    for (int step = 16; step > 0; step /= 2)
        own = min(own, __shfl_xor_sync(0xffffffffu, own, step));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < block_size / 32; ++w)
            own = min(own, of_warp[w]);
        least[blockIdx.x] = std::uint8_t(own);
    }
}

__global__ void gather(const Vec3<double>* positions, const double* masses, const Index* order,
                       std::size_t n, Source* sources)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k < n)
        sources[k] = {positions[order[k]], masses[order[k]]};
}

/// Mothers, and how many daughters of each are still without moments.
__global__ void find_mothers(const Cell* cells, Index n, Index* mother, Index* missing)
{
    const Index c = blockIdx.x * block_size + threadIdx.x;
    if (c >= n)
        return;
    Index daughters = 0;
    for (Index d = c + 1; d < cells[c].next; d = cells[d].next, ++daughters)
        mother[d] = c;
    missing[c] = daughters;
}

/// A thread fills the node of its cell's daughters; that of the root itself goes with the root.
__global__ void fill_nodes(const Cell* cells, Index n, const Index* node_of,
                           const Multipole* multipoles, const Box* bounds,
                           AcceptanceCriterion criterion, WalkNode* nodes)
{
    const Index c = blockIdx.x * block_size + threadIdx.x;
    if (c >= n)
        return;
    const WalkUnits units = WalkUnits::of(multipoles[0], bounds[0]);
    const auto fill = [&](WalkNode& node, Index begin, Index end) {
        int lane = 0;
        Index inner = 0;
        for (Index d = begin; d < end; d = cells[d].next, ++lane) {
            const bool divided = cells[d].next > d + 1;
            fill_lane(node, lane, d, divided ? node_of[d] : no_node, multipoles[d],
                      criterion.reach(multipoles[d], bounds[d], units), units);
            inner |= Index(divided) << lane;
        }
        node.inner = inner;
        node.lanes = (Index(1) << lane) - 1;
    };
    if (c == 0)
        fill(nodes[0], 0, n);
    if (cells[c].next > c + 1)
        fill(nodes[node_of[c]], c + 1, cells[c].next);
}

/// 1 for a cell with daughters, else 0.
struct IsDivided {
    const Cell* cells;
    __host__ __device__ Index operator()(Index c) const { return cells[c].next > c + 1; }
};

/// A thread sums its leaf, then climbs as long as it is the last to arrive at a cell.
__global__ void sum_moments(const Cell* cells, Index n, const Source* sources, const Index* mother,
                            Index* missing, Multipole* multipoles, Box* bounds)
{
    Index c = blockIdx.x * block_size + threadIdx.x;
    if (c >= n || cells[c].next != c + 1)
        return;
    sum_leaf(sources + cells[c].begin, cells[c].count, multipoles[c], bounds[c]);
    while (c > 0) {
        c = mother[c];
        __threadfence(); // this daughter before the count, the sisters after it
        if (atomicSub(&missing[c], 1) != 1)
            return;
        __threadfence();
        sum_daughters(cells, c, multipoles, bounds);
    }
}

class CudaTreeBuilder final : public TreeBuilder {
public:
    CudaTreeBuilder(std::shared_ptr<DeviceTree> tree, std::shared_ptr<PinnedMemory> pinned)
        : tree_(std::move(tree)), pinned_(std::move(pinned))
    {}

    void build(Tree& tree, std::span<const Vec3<double>> positions, std::span<const double> masses,
               const TreePlan& plan, Profile& profile) override
    {
        Octree& octree = tree.octree;
        Moments& moments = tree.moments;
        const int leaf_size = plan.leaf_size;
        check(cudaSetDevice(tree_->device), "choose the device");
        check_number(positions.size());
        tree_->bytes_up = positions.size() * (sizeof(Vec3<double>) + sizeof(double));
        tree_->bytes_down = positions.size() * 2;
        octree.size = tree_->particles = positions.size();
        octree.order.clear();
        octree.sources.clear();
        if (positions.empty()) {
            octree.cells.clear();
            moments.multipole.clear();
            moments.bounds.clear();
            tree.nodes.nodes.clear();
            return;
        }
        {
            const TimedPhase phase(profile, "upload");
            upload_positions(positions);
        }
        bool keys_are_shared;
        {
            const TimedPhase phase(profile, "sort");
            start_sort(octree, positions, leaf_size);
            tree_->staging.upload(tree_->masses, masses.data(), masses.size(), masses_stream_);
            masses_uploaded_.record(masses_stream_);
            keys_are_shared = finish_sort(octree);
        }
        {
            const TimedPhase phase(profile, "cells");
            if (!keys_are_shared)
                gather_sources();
            divide_into_cells(octree, positions, leaf_size);
            if (keys_are_shared) { // the host has refined the order
                tree_->staging.upload(tree_->order, octree.order.data(), octree.size,
                                      tree_->stream);
                gather_sources();
            }
        }
        const TimedPhase phase(profile, "moments");
        start_moments(octree, moments);
        if (plan.criterion)
            start_nodes(tree, *plan.criterion);
        check(cudaEventSynchronize(moments_here_), "sum the moments");
        if (plan.criterion)
            tree.nodes.units = WalkUnits::of(moments.multipole[0], moments.bounds[0]);
    }

    void finish_nodes(Tree&) override
    {
        check(cudaSetDevice(tree_->device), "choose the device");
        tree_->stream.wait();
    }

    void fetch_order(Octree& octree) override
    {
        check(cudaSetDevice(tree_->device), "choose the device");
        octree.order.resize(octree.size);
        octree.sources.resize(octree.size);
        tree_->staging.download(octree.order.data(), tree_->order.data(), octree.size,
                                tree_->stream);
        tree_->staging.download(octree.sources.data(), tree_->sources.data(), octree.size,
                                tree_->stream);
    }

    std::pmr::memory_resource* memory() override { return pinned_.get(); }

private:
    static constexpr unsigned extent_blocks = 512;

    void upload_positions(std::span<const Vec3<double>> positions)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = positions.size();
        t.staging.upload(t.positions, positions.data(), n, t.stream);
        measure_extent<<<extent_blocks, block_size, 0, t.stream>>>(
            t.positions.data(), n, extents_.reserve(extent_blocks));
        check(cudaGetLastError(), "launch the extent");
        download(host_extents_.reserve(extent_blocks), extents_.data(), extent_blocks, t.stream);
        measured_.record(t.stream);
    }

    RootCube root_cube(std::span<const Vec3<double>> positions)
    {
        check(cudaEventSynchronize(measured_), "measure the extent");
        Box box;
        double probe = 0;
        for (unsigned b = 0; b < extent_blocks; ++b) {
            box.add(host_extents_.data()[b].box);
            probe += host_extents_.data()[b].probe;
        }
        if (probe != 0 || !std::isfinite(box.longest_side()))
            return bounding_cube(positions); // which says what is wrong
        return cube_around(box.low, box.high);
    }

    /// Keys, order and boundaries, on their way when it returns.
    void start_sort(Octree& octree, std::span<const Vec3<double>> positions, int leaf_size)
    {
        DeviceTree& t = *tree_;
        const std::size_t n = positions.size();
        const RootCube cube = root_cube(positions);
        Key* keys = t.keys.reserve(n);
        Index* order = t.order.reserve(n);
        compute_keys<<<blocks_of(n), block_size, 0, t.stream>>>(t.positions.data(), n, cube, keys,
                                                                order);
        check(cudaGetLastError(), "launch the keys");
        thrust::sort_by_key(thrust::cuda::par_nosync(scratch_).on(t.stream), keys, keys + n, order);
        Boundaries& between = octree.boundaries;
        between.resize(n);
        int* shared = shared_.reserve(1);
        check(cudaMemsetAsync(shared, 0, sizeof(int), t.stream), "clear a flag");
        find_boundaries<<<blocks_of(n), block_size, 0, t.stream>>>(
            keys, n, std::size_t(leaf_size), levels_.reserve(n), octants_.reserve(n),
            least_.reserve(between.least.size()), shared);
        check(cudaGetLastError(), "launch the boundaries");
        download(host_shared_.reserve(1), shared, 1, t.stream);
        download(between.level.data(), levels_.data(), n, t.stream);
        download(between.octants.data(), octants_.data(), n, t.stream);
        download(between.least.data(), least_.data(), between.least.size(), t.stream);
        sorted_.record(t.stream);
    }

    /// True if more particles share a key than a leaf holds; then octree.order is filled.
    bool finish_sort(Octree& octree)
    {
        check(cudaEventSynchronize(sorted_), "sort the keys");
        const bool keys_are_shared = *host_shared_.data() != 0;
        if (keys_are_shared) {
            octree.order.resize(octree.size);
            tree_->staging.download(octree.order.data(), tree_->order.data(), octree.size,
                                    tree_->stream);
        }
        return keys_are_shared;
    }

    void gather_sources()
    {
        DeviceTree& t = *tree_;
        const std::size_t n = t.particles;
        check(cudaStreamWaitEvent(t.stream, masses_uploaded_), "wait for the masses");
        gather<<<blocks_of(n), block_size, 0, t.stream>>>(t.positions.data(), t.masses.data(),
                                                          t.order.data(), n, t.sources.reserve(n));
        check(cudaGetLastError(), "launch the gather");
    }

    void start_moments(const Octree& octree, Moments& moments)
    {
        DeviceTree& t = *tree_;
        const Index n = Index(octree.cells.size());
        chamomile::upload(t.cells, octree.cells.data(), n, t.stream);
        find_mothers<<<blocks_of(n), block_size, 0, t.stream>>>(
            t.cells.data(), n, mothers_.reserve(n), missing_.reserve(n));
        sum_moments<<<blocks_of(n), block_size, 0, t.stream>>>(
            t.cells.data(), n, t.sources.data(), mothers_.data(), missing_.data(),
            t.multipoles.reserve(n), t.bounds.reserve(n));
        check(cudaGetLastError(), "launch the moments");
        moments.multipole.resize(n);
        moments.bounds.resize(n);
        download(moments.multipole.data(), t.multipoles.data(), n, t.stream);
        download(moments.bounds.data(), t.bounds.data(), n, t.stream);
        moments_here_.record(t.stream);
        t.bytes_up += n * sizeof(Cell);
        t.bytes_down += n * (sizeof(Multipole) + sizeof(Box));
    }

    /// The nodes follow the moments, while the host makes groups.
    void start_nodes(Tree& tree, const AcceptanceCriterion& criterion)
    {
        DeviceTree& t = *tree_;
        const Index n = Index(tree.octree.cells.size());
        const std::size_t nodes = 1 + tree.octree.divided;
        Index* node_of = mothers_.data(); // no longer needed
        const auto divided = thrust::make_transform_iterator(thrust::make_counting_iterator(Index(0)),
                                                             IsDivided{t.cells.data()});
        thrust::exclusive_scan(thrust::cuda::par_nosync(scratch_).on(t.stream), divided, divided + n,
                               node_of, Index(1)); // the root's own node is the first
        check(cudaMemsetAsync(nodes_.reserve(nodes), 0, nodes * sizeof(WalkNode), t.stream),
              "clear the nodes");
        fill_nodes<<<blocks_of(n), block_size, 0, t.stream>>>(
            t.cells.data(), n, node_of, t.multipoles.data(), t.bounds.data(), criterion,
            nodes_.data());
        check(cudaGetLastError(), "launch the nodes");
        tree.nodes.nodes.resize(nodes);
        download(tree.nodes.nodes.data(), nodes_.data(), nodes, t.stream);
        t.bytes_down += nodes * sizeof(WalkNode);
    }

    std::shared_ptr<DeviceTree> tree_; // its device is the current one when the streams are made
    std::shared_ptr<PinnedMemory> pinned_;
    KeptMemory scratch_;
    DeviceBuffer<Extent> extents_;
    DeviceBuffer<std::uint8_t> levels_, octants_, least_;
    DeviceBuffer<int> shared_;
    DeviceBuffer<Index> mothers_, missing_;
    DeviceBuffer<WalkNode> nodes_;
    PinnedBuffer<Extent> host_extents_;
    PinnedBuffer<int> host_shared_;
    Stream masses_stream_; // masses come while the keys are sorted
    Event measured_, sorted_, masses_uploaded_, moments_here_;
};

} // namespace

std::unique_ptr<TreeBuilder> make_cuda_tree_builder(std::shared_ptr<DeviceTree> tree,
                                                    std::shared_ptr<PinnedMemory> pinned)
{
    return std::make_unique<CudaTreeBuilder>(std::move(tree), std::move(pinned));
}

} // namespace chamomile
