// Groups and clusters. A cell that is too large is cut into blocks of its daughters independently
// of other cells: one thread cuts one cell. A first pass counts the groups that begin at each
// daughter, a second writes them at the prefix sums. Reads twice 64 bytes a daughter; writes and
// sends 88 bytes a group and 128 a cluster. If only some particles are targets, boxes are made
// tight afterwards: 36 bytes a target. Contraction: none, so that groups match the host's bitwise.
#include <cassert>

#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "chamomile/gpu/tree/box_of_targets.cuh"
#include "chamomile/gpu/tree/device_groups.cuh"

namespace chamomile {
namespace {

constexpr unsigned block_size = 128, warp_size = 32;

unsigned blocks_of(std::size_t threads)
{
    return unsigned((threads + block_size - 1) / block_size);
}

using Pieces = Sisters<GlobalRange>; // the cells may lie on other ranks

/// A GroupTask holds the cells that all threads cut, and the size limits.
struct GroupTask {
    const Cell* cells;
    const Box* bounds;
    const Multipole* multipoles;
    const Source* sources;
    CellRange range;
    const Index* targets_before; ///< null: all particles are targets
    PieceLimits of_groups, of_clusters;
    Index group, cluster; ///< as in GroupSizes

    __device__ bool is_leaf(Index c) const { return cells[c].next == c + 1; }
    __device__ Index before(Index place) const
    {
        return targets_before ? targets_before[place] : place;
    }
    __device__ Index targets(Index c) const
    {
        return before(cells[c].begin + cells[c].count) - before(cells[c].begin);
    }
    /// True if a cell is not divided further.
    __device__ bool ends(Index c, const PieceLimits& limits) const
    {
        const Index own = targets(c);
        return is_leaf(c) || own == 0 || limits.fit(own, cells[c].count, bounds[c]);
    }
    /// Returns the groups of sisters that begin with a cell: one, except for a leaf.
    __device__ LeafCuts cuts(const Pieces& sisters, Index from) const
    {
        const Index begin = before(cells[from].begin);
        return {{begin, begin + Index(sisters.targets.count())},
                sisters.box,
                group,
                of_groups.longest_side};
    }
    /// Returns the number of clusters for these groups.
    __device__ Index clusters_of(const Pieces& sisters, Index from) const
    {
        const bool is_cut = sisters.targets.count() > of_clusters.targets; // a leaf at one place
        return is_cut ? (cuts(sisters, from).parts - 1) / cluster + 1 : 1;
    }

    /// Calls add(sisters, first cell, end) for each block of a cell's daughters that is one piece,
    /// and for each single daughter that is a leaf or fits the limits. The root counts as its own
    /// daughter.
    template <class Add>
    __device__ void cut(Index mother, const PieceLimits& limits, Add add) const
    {
        const Index none = range.all;
        if (ends(mother, limits)) {
            if (mother == 0 && targets(0) > 0)
                add(Pieces{{0, targets(0)}, bounds[0]}, 0, none);
            return;
        }
        Index at[8];
        for (Index& cell : at)
            cell = none;
        for (Index d = mother + 1; d < cells[mother].next; d = cells[d].next)
            at[cells[d].octant] = d;
        Index blocks[8], open = 1; // encoded as 16 * first octant + count
        blocks[0] = 8;
        while (open > 0) {
            const Index block = blocks[--open], octant = block / 16, count = block % 16;
            Pieces sisters; // targets counted from 0: other ranks' particles may lie between cells
            Index begin = none, last = none;
            std::uint64_t so_far = 0;
            for (Index k = octant; k < octant + count; ++k)
                if (const Index d = at[k]; d < none) {
                    const Index own = targets(d);
                    sisters.add(cells[d].count, bounds[d], {so_far, so_far + own});
                    so_far += own;
                    begin = begin < none ? begin : d;
                    last = d;
                }
            if (so_far == 0)
                continue;
            if (sisters.are_one_piece(limits) || (count == 1 && ends(begin, limits))) {
                add(sisters, begin, cells[last].next);
            } else if (count > 1) {
                blocks[open++] = 16 * (octant + count / 2) + count / 2;
                blocks[open++] = 16 * octant + count / 2;
            }
        }
    }
    __device__ bool is_own(Index cell) const { return cell >= range.first && cell < range.end; }
};

struct AddCounts {
    __host__ __device__ uint2 operator()(const uint2& a, const uint2& b) const
    {
        return {a.x + b.x, a.y + b.y};
    }
};

__global__ void count_groups(GroupTask task, uint2* counts)
{
    const Index c = blockIdx.x * block_size + threadIdx.x;
    if (c >= task.range.all)
        return;
    task.cut(c, task.of_groups, [&](const Pieces& sisters, Index begin, Index) {
        if (task.is_own(begin))
            counts[begin].x = task.cuts(sisters, begin).parts;
    });
    task.cut(c, task.of_clusters, [&](const Pieces& sisters, Index begin, Index) {
        if (task.is_own(begin))
            counts[begin].y = task.clusters_of(sisters, begin);
    });
}

/// Writes the groups, and the clusters without their boxes.
__global__ void write_groups(GroupTask task, const uint2* before, Group* groups, Cluster* clusters)
{
    const Index c = blockIdx.x * block_size + threadIdx.x;
    if (c >= task.range.all)
        return;
    task.cut(c, task.of_groups, [&](const Pieces& sisters, Index begin, Index) {
        if (!task.is_own(begin))
            return;
        const LeafCuts cuts = task.cuts(sisters, begin);
        const bool is_long = sisters.box.longest_side() > task.of_groups.longest_side;
        for (Index p = 0; p < cuts.parts; ++p) {
            Group& group = groups[before[begin].x + p];
            group.begin = cuts.begin(p);
            group.end = cuts.begin(p + 1);
            Box box = sisters.box;
            if (is_long) { // groups of one target
                box = {};
                box.add(task.sources[group.begin].position);
            }
            group.set_box(box);
        }
    });
    task.cut(c, task.of_clusters, [&](const Pieces& sisters, Index begin, Index end) {
        if (!task.is_own(begin))
            return;
        Multipole whole;
        for (Index d = begin; d < end; d = task.cells[d].next)
            whole = joint(whole, task.multipoles[d]);
        const Index first = before[begin].x, last = before[end].x,
                    parts = before[end].y - before[begin].y;
        for (Index k = 0; k < parts; ++k) {
            const Index from = first + k * task.cluster,
                        to = k + 1 < parts ? from + task.cluster : last;
            Cluster& cluster = clusters[before[begin].y + k];
            cluster = Cluster::of(from, to, whole);
            cluster.set_box(sisters.box);
        }
    });
}

/// Makes boxes tight around their targets, one warp a group.
__global__ void __launch_bounds__(block_size)
    tighten_groups(const Source* sources, const Index* targets, Index n, Group* groups)
{
    const Index g = blockIdx.x * (block_size / warp_size) + threadIdx.x / warp_size;
    if (g >= n)
        return;
    const Box box = box_of_targets(sources, targets, groups[g].begin, groups[g].end);
    if (threadIdx.x % warp_size == 0)
        groups[g].set_box(box);
}

__global__ void __launch_bounds__(block_size)
    tighten_clusters(const Group* groups, Index n, Cluster* clusters)
{
    const Index c = blockIdx.x * block_size + threadIdx.x;
    if (c >= n)
        return;
    Box box;
    for (Index g = clusters[c].first_group; g < clusters[c].last_group; ++g)
        box.add(groups[g].box);
    clusters[c].set_box(box);
}

} // namespace

void DeviceGroups::cut(TargetGroups& groups, const GroupSizes& sizes, const CellRange& range,
                       const Index* targets_before)
{
    DeviceTree& t = tree_;
    const Index n = range.all;
    const GroupTask task{t.cells.data(),
                         t.bounds.data(),
                         t.multipoles.data(),
                         t.sources.data(),
                         range,
                         targets_before,
                         sizes.limits_of_groups(),
                         sizes.limits_of_clusters(),
                         Index(sizes.group),
                         Index(sizes.cluster)};
    uint2* const counts = counts_.reserve(n + 1);
    check(cudaMemsetAsync(counts, 0, (n + 1) * sizeof(uint2), t.stream), "clear counts of groups");
    count_groups<<<blocks_of(n), block_size, 0, t.stream>>>(task, counts);
    check(cudaGetLastError(), "launch the counts of groups");
    call_thrust("launch the numbers of groups", [&] {
        thrust::exclusive_scan(thrust::cuda::par_nosync(scratch_).on(t.stream), counts,
                               counts + n + 1, counts, uint2{0, 0}, AddCounts{});
    });
    download(host_count_.reserve(1), counts + n, 1, t.stream);
    t.stream.wait();
    const uint2 count = *host_count_.data();
    groups.accelerations.clear();
    resize_with_room(groups.groups, count.x);
    resize_with_room(groups.clusters, count.y);
    Group* const cut = groups_.reserve(count.x);
    Cluster* const clusters = clusters_.reserve(count.y);
    write_groups<<<blocks_of(n), block_size, 0, t.stream>>>(task, counts, cut, clusters);
    if (targets_before && count.x > 0) {
        tighten_groups<<<blocks_of(std::size_t(count.x) * warp_size), block_size, 0, t.stream>>>(
            t.sources.data(), t.targets.data(), count.x, cut);
        tighten_clusters<<<blocks_of(count.y), block_size, 0, t.stream>>>(cut, count.y, clusters);
    }
    check(cudaGetLastError(), "launch the groups");
    t.staging.download(groups.groups.data(), cut, count.x, t.stream);
    t.staging.download(groups.clusters.data(), clusters, count.y, t.stream);
    t.bytes_down += count.x * sizeof(Group) + count.y * sizeof(Cluster);
    assert(groups.groups.empty() ||
           (groups.groups.front().begin == 0 && groups.groups.back().end == groups.target_count &&
            groups.clusters.back().last_group == groups.groups.size()));
}

} // namespace chamomile
