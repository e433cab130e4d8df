// Cells from sorted keys, one thread a particle. Contraction: fused.
//
// A cell is a run of keys with equal first digits. It is divided at the first digit in which its
// keys differ. The boundary between two neighbors is the first digit in which they differ. It
// belongs to one cell: the run of keys with the same digits before it. Runs are found by doubling
// steps and bisection. The cells that begin at a particle form a chain of first daughters; bits of
// a word mark their levels. A prefix sum of the bit counts over particles gives depth-first cell
// numbers.
#include <algorithm>
#include <utility>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "chamomile/gpu/tree/device_cells.cuh"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256;

/// Bits of `begun`: bit l marks a particle at which a cell divided at level l begins. any_begins
/// marks the begin of any cell, root_begins of one of several roots.
constexpr Index any_begins = Index(1) << 31, root_begins = Index(1) << 30;

unsigned blocks_of(Index n)
{
    return n / block_size + 1;
}

/// True if two keys agree in their first `digits` octal digits.
__device__ bool agree(Key a, Key b, int digits)
{
    return (a ^ b) >> 3 * (key_levels - digits) == 0;
}

/// Counts the keys after keys[0] (before keys[0] if `step` is -1) that agree with keys[0] in
/// `digits` digits. There are `max` keys to look at.
template <int step>
__device__ Index count_agreeing(const Key* keys, Index max, int digits)
{
    const Key own = keys[0];
    const auto agrees = [&](std::uint64_t i) {
        return agree(keys[step * std::int64_t(i)], own, digits);
    };
    std::uint64_t first_off = 1;
    while (first_off <= max && agrees(first_off))
        first_off *= 2;
    std::uint64_t last_on = first_off / 2;
    first_off = min(first_off, std::uint64_t(max) + 1);
    while (first_off - last_on > 1) {
        const std::uint64_t middle = (first_off + last_on) / 2;
        (agrees(middle) ? last_on : first_off) = middle;
    }
    return Index(last_on);
}

__global__ void mark_roots(const CellRoot* roots, Index n, Index* begun)
{
    const Index k = blockIdx.x * block_size + threadIdx.x;
    if (k < n)
        begun[roots[k].begin] = any_begins | root_begins;
}

__global__ void number_roots(const CellRoot* roots, Index n, const Index* first, Index* number)
{
    const Index k = blockIdx.x * block_size + threadIdx.x;
    if (k < n)
        number[k] = first[roots[k].begin];
}

/// Each thread looks at the boundary before its particle. If the boundary's cell is larger than a
/// leaf, a daughter begins here. The first boundary of a cell marks the cell as divided.
__global__ void count_cells(const Key* keys, Index n, Index leaf_size, Index* begun, Index* divided,
                            Index* keys_are_shared)
{
    const Index k = blockIdx.x * block_size + threadIdx.x;
    bool is_first = false;
    if (k == 0)
        atomicOr(begun, any_begins);
    if (k > 0 && k < n && !(begun[k] & root_begins)) {
        const int level = boundary_between(keys[k - 1], keys[k]).level;
        if (level < key_levels) {
            const Index before = count_agreeing<-1>(keys + k - 1, k - 1, level) + 1,
                        after = count_agreeing<1>(keys + k, n - 1 - k, level) + 1;
            if (before + after > leaf_size) {
                atomicOr(begun + k, any_begins);
                is_first = agree(keys[k - before], keys[k - 1], level + 1);
                if (is_first)
                    atomicOr(begun + k - before, Index(1) << level);
            }
        }
    }
    if (k < n && n - k > leaf_size && keys[k] == keys[k + leaf_size])
        *keys_are_shared = 1;
    const int found = __syncthreads_count(is_first);
    if (threadIdx.x == 0 && found > 0)
        atomicAdd(divided, Index(found));
}

/// Each thread makes the cells that begin at its particle, in one tree or several.
__global__ void make_cells(const Key* keys, Index n, const Index* begun, const Index* first,
                           const CellRoot* roots, Index root_count, Cell* cells)
{
    const Index k = blockIdx.x * block_size + threadIdx.x;
    if (k >= n || begun[k] == 0)
        return;
    CellRoot root{0, n, 0, 0};
    if (roots) {
        Index low = 0, high = root_count; // the root is in [low, high)
        while (high - low > 1) {
            const Index middle = (low + high) / 2;
            (roots[middle].begin <= k ? low : high) = middle;
        }
        root = roots[low];
    }
    Index levels = begun[k] & ~(any_begins | root_begins);
    bool is_root = k == root.begin;
    int level = is_root ? 0 : int(boundary_between(keys[k - 1], keys[k]).level); // of the mother
    for (Index c = first[k] + root.before;; ++c) {
        const Index count =
            is_root ? root.count : count_agreeing<1>(keys + k, n - 1 - k, level + 1) + 1;
        const Index octant = is_root ? root.octant : keys[k] >> 3 * (key_levels - 1 - level) & 7;
        cells[c] = {k, count, levels ? first[k + count] + root.before : c + 1, octant};
        if (!levels)
            return;
        level = __ffs(int(levels)) - 1;
        levels &= levels - 1;
        is_root = false;
    }
}

struct CountBits {
    const Index* begun;
    __device__ Index operator()(Index k) const { return Index(__popc(begun[k] & ~root_begins)); }
};

} // namespace

void DeviceCells::start(Index leaf_size, std::span<const CellRoot> roots)
{
    release();
    DeviceTree& t = tree_;
    const Index n = Index(t.particles);
    const std::size_t bytes = (2 * std::size_t(n) + 2) * sizeof(Index);
    begun_ = reinterpret_cast<Index*>(scratch_.allocate(std::ptrdiff_t(bytes)));
    first_ = begun_ + n + 1;
    Counts* const counts = counts_.reserve(1);
    check(cudaMemsetAsync(begun_, 0, (std::size_t(n) + 1) * sizeof(Index), t.stream),
          "clear the beginnings of cells");
    check(cudaMemsetAsync(counts, 0, sizeof(Counts), t.stream), "clear counts");
    root_count_ = Index(roots.size());
    if (root_count_ > 0) {
        std::copy(roots.begin(), roots.end(), host_roots_.reserve(root_count_));
        upload(roots_, host_roots_.data(), root_count_, t.stream);
        mark_roots<<<blocks_of(root_count_), block_size, 0, t.stream>>>(roots_.data(), root_count_,
                                                                        begun_);
    }
    count_cells<<<blocks_of(n), block_size, 0, t.stream>>>(
        t.keys.data(), n, leaf_size, begun_, &counts->divided, &counts->keys_are_shared);
    check(cudaGetLastError(), "launch the count of cells");
    call_thrust("launch the numbers of cells", [&] {
        const auto bits = thrust::make_transform_iterator(thrust::make_counting_iterator(Index(0)),
                                                          CountBits{begun_});
        thrust::exclusive_scan(thrust::cuda::par_nosync(scratch_).on(t.stream), bits, bits + n + 1,
                               first_);
    });
    check(cudaMemcpyAsync(&counts->cells, first_ + n, sizeof(Index), cudaMemcpyDeviceToDevice,
                          t.stream),
          "copy the number of cells");
    if (root_count_ > 0) {
        number_roots<<<blocks_of(root_count_), block_size, 0, t.stream>>>(
            roots_.data(), root_count_, first_, numbers_.reserve(root_count_));
        download(host_numbers_.reserve(root_count_), numbers_.data(), root_count_, t.stream);
    }
    download(host_counts_.reserve(1), counts, 1, t.stream);
    counted_.record(t.stream);
}

bool DeviceCells::are_counted()
{
    check(status_when_done(counted_), "divide into cells");
    if (host_counts_.data()->keys_are_shared == 0)
        return true;
    release();
    return false;
}

void DeviceCells::release()
{
    if (begun_)
        scratch_.deallocate(reinterpret_cast<char*>(std::exchange(begun_, nullptr)), 0);
}

void DeviceCells::make(Index others)
{
    DeviceTree& t = tree_;
    const Index n = Index(t.particles);
    made_count_ = host_counts_.data()->cells + others;
    Cell* const cells = t.cells.reserve(made_count_);
    make_cells<<<blocks_of(n), block_size, 0, t.stream>>>(t.keys.data(), n, begun_, first_,
                                                          root_count_ > 0 ? roots_.data() : nullptr,
                                                          root_count_, cells);
    check(cudaGetLastError(), "launch the cells");
    release();
}

void DeviceCells::send(Octree& octree, const Stream& down)
{
    DeviceTree& t = tree_;
    made_.record(t.stream);
    octree.divided = host_counts_.data()->divided;
    resize_with_room(octree.cells, made_count_);
    check(cudaStreamWaitEvent(down, made_), "wait for the cells");
    download(octree.cells.data(), t.cells.data(), made_count_, down);
    t.bytes_down += made_count_ * sizeof(Cell);
}

} // namespace chamomile
