// Finishes the lists of groups from the cells that their clusters leave open.
//
// A warp continues the walk for one group. It tests 32 cells at once by the decisions of the host's
// walk (tree/walk_decisions.hpp), in double. Opened cells push their daughters onto a stack in
// shared memory. Other cells go to three short lists there: leaves with near particles, cells that
// act as multipoles, and cells whose field is expanded. At the end the warp reserves words of the
// batch's memory and writes its lists in the host's format. If the lists do not fit in shared
// memory, the warp walks again and writes them directly. The order of a list depends only on the
// tree and the group.
//
// Cost per 32 tests: some 60 operations in double and 40 bytes a cell of the nodes, shared by
// neighboring groups and read from the second cache. A group of 128 makes 300 to 600 tests against
// 80 000 pairs. Shared memory 8.5 KiB a warp. Contraction: none, so that the lists are the host's.
#include "chamomile/gpu/lists/prune.cuh"
#include "chamomile/gpu/tiles/tile_loop.cuh"
#include "chamomile/tree/walk_decisions.hpp"

namespace chamomile {
namespace {

constexpr unsigned stack_room = 1024, staged_room = 384;

enum Kind { near_leaf, multipole_cell, far_cell, kinds };

struct PruneMemory {
    Index stack[stack_room];
    Index staged[kinds][staged_room];
};

/// A GroupWalk finishes the list of one group.
template <class Region>
class GroupWalk {
public:
    __device__ GroupWalk(const DeviceOpenLists& lists, Index row, PruneMemory& memory)
        : lists_(lists), row_(lists.rows[row]), region_(lists.regions[row], lists.period),
          memory_(memory), lane_(threadIdx.x % warp_size)
    {}

    /// Writes the group's lists and sets their places in `row`.
    __device__ void run(ListRow& row)
    {
        Index* to[kinds];
        for (int kind = 0; kind < kinds; ++kind)
            to[kind] = memory_.staged[kind];
        const bool is_finished = walk(to, staged_room);
        const unsigned leaves = count_[near_leaf], cells = count_[multipole_cell],
                       far = count_[far_cell];
        const unsigned needed = 2 * leaves + (cells + far + 1) / 2 * 2;
        unsigned long long first = 0;
        if (lane_ == 0) {
            first = atomicAdd(&lists_.note->words, (unsigned long long)needed);
            if (!is_finished)
                lists_.note->is_too_deep = 1;
        }
        first = __shfl_sync(all_lanes, first, 0);
        if (!is_finished || first + needed > lists_.room)
            return; // the list stays empty, and the evaluation is repeated
        const Index begin = Index(first);
        Index* const words = lists_.words + begin;
        Index *const cell_words = words + 2 * leaves, *const far_words = cell_words + cells;
        if (max(leaves, max(cells, far)) <= staged_room) {
            copy(memory_.staged[multipole_cell], cells, cell_words);
            copy(memory_.staged[far_cell], far, far_words);
            if (!lists_.separate)
                to[near_leaf] = put_own_first(leaves);
        } else {
            to[near_leaf] = words + leaves; // ranges grow towards the leaves, and never overtake
                                            // them
            to[multipole_cell] = cell_words;
            to[far_cell] = far_words;
            walk(to, 0xffffffff);
        }
        if (opens_absent(to[near_leaf], leaves)) {
            if (lane_ == 0)
                lists_.note->opens_absent = 1;
            return;
        }
        const unsigned ranges = write_ranges(to[near_leaf], leaves, words);
        if (lists_.work)
            write_work(cells, far);
        if (lane_ == 0) {
            row.range_begin = begin / 2;
            row.range_end = begin / 2 + ranges;
            row.particle_count = particles_;
            row.cell_begin = begin + 2 * leaves;
            row.cell_end = row.far_begin = row.cell_begin + cells;
            row.far_end = row.far_begin + far;
            const unsigned long long targets = row_.target_end - row_.target_begin;
            atomicAdd(&lists_.note->particle_pairs, targets * particles_);
            atomicAdd(&lists_.note->cell_pairs, targets * cells);
            atomicAdd(&lists_.note->expansions, (unsigned long long)far);
        }
    }

private:
    /// Writes the entries of each kind up to `room`, and counts all of them. Returns false if the
    /// stack overflows, which takes more than 40 levels of the tree.
    __device__ bool walk(Index* const (&to)[kinds], unsigned room)
    {
        const ClusterRow& cluster = lists_.clusters[row_.cluster];
        Index next = cluster.open_begin;
        const Index end = cluster.open_end;
        unsigned size = 0; // of the stack
        for (int kind = 0; kind < kinds; ++kind)
            count_[kind] = 0;
        while (size > 0 || next < end) {
            // A cell has up to eight daughters: the fuller the stack, the fewer cells are tested.
            const unsigned free = stack_room - size, max = free >= 768  ? 32
                                                           : free > 272 ? (free - 256) / 16
                                                                        : 1;
            const unsigned stacked = min(size, max),
                           fresh = min(max - stacked, unsigned(end - next));
            if (size - stacked + 8 * (stacked + fresh) > stack_room)
                return false;
            Index lane_of_tree = no_node;
            if (lane_ < stacked)
                lane_of_tree = memory_.stack[size - 1 - lane_];
            else if (lane_ < stacked + fresh)
                lane_of_tree = lists_.open[next + lane_ - stacked];
            size -= stacked;
            next += fresh;
            __syncwarp();
            size = test(lane_of_tree, to, room, size);
        }
        __syncwarp(); // other lanes read what each has written
        return true;
    }

    /// Decides about one cell a lane. Returns the new size of the stack.
    __device__ unsigned test(Index lane_of_tree, Index* const (&to)[kinds], unsigned room,
                             unsigned size)
    {
        int kind = kinds; // no kind
        Index cell = 0, daughters = no_node;
        if (lane_of_tree != no_node) {
            const WalkNode& node = lists_.nodes[lane_of_tree / WalkNode::width];
            const int k = int(lane_of_tree % WalkNode::width);
            const walk::Decisions d =
                walk::decide(walk::CellsSeen<double>{{node.x[k], node.y[k], node.z[k]},
                                                     node.min[k],
                                                     node.relative[k],
                                                     node.expansion[k]},
                             region_);
            cell = node.cell[k];
            if (!d.left_out && d.accepted)
                kind = d.far ? far_cell : multipole_cell;
            else if (!d.left_out) {
                daughters = node.node[k];
                if (daughters == no_node)
                    kind = near_leaf;
            }
        }
        const unsigned before = (1u << lane_) - 1;
#pragma unroll
        for (int one = 0; one < kinds; ++one) {
            const unsigned bits = __ballot_sync(all_lanes, kind == one);
            const unsigned place = count_[one] + __popc(bits & before);
            if (kind == one && place < room)
                to[one][place] = cell;
            count_[one] += __popc(bits);
        }
        return push(daughters, size);
    }

    /// Pushes the daughters of the cells. The first lane's first daughter ends up on top.
    __device__ unsigned push(Index daughters, unsigned size)
    {
        if (!__any_sync(all_lanes, daughters != no_node))
            return size;
        const unsigned own =
            daughters == no_node ? 0 : unsigned(__popc(lists_.nodes[daughters].lanes));
        unsigned up_to = own; // of this lane and lanes before
        for (int step = 1; step < warp_size; step *= 2) {
            const unsigned other = __shfl_up_sync(all_lanes, up_to, step);
            up_to += int(lane_) >= step ? other : 0;
        }
        const unsigned all = __shfl_sync(all_lanes, up_to, warp_size - 1);
        const unsigned first = size + all - 1 - (up_to - own);
        for (unsigned k = 0; k < own; ++k)
            memory_.stack[first - k] = lane_of_node(daughters, int(k));
        __syncwarp();
        return size + all;
    }

    __device__ void copy(const Index* from, unsigned n, Index* to) const
    {
        for (unsigned k = lane_; k < n; k += warp_size)
            to[k] = from[k];
    }

    /// True if the particles of a leaf are on another rank
    /// (tree/domain/locally_essential_tree.hpp).
    __device__ bool opens_absent(const Index* leaves, unsigned n) const
    {
        __syncwarp();
        bool found = false;
        for (unsigned k = lane_; k < n; k += warp_size)
            found = found || lists_.cells[leaves[k]].begin == absent_particles;
        return __any_sync(all_lanes, found);
    }

    __device__ void write_work(unsigned cells, unsigned far) const
    {
        const ClusterRow& cluster = lists_.clusters[row_.cluster];
        const double shared =
            double(cluster.far_end - cluster.far_begin) / lists_.groups_per_cluster;
        const float work =
            row_work(row_.target_end - row_.target_begin, particles_, cells, shared + far);
        for (Index t = row_.target_begin + lane_; t < row_.target_end; t += warp_size)
            lists_.work[t] = work;
    }

    /// Puts leaves with targets first, so that they fill few tiles: near tiles cost twice as much.
    /// Returns the reordered leaves.
    __device__ Index* put_own_first(unsigned leaves)
    {
        const Index begin = sorted(row_.target_begin), end = sorted(row_.target_end - 1);
        const Index* const from = memory_.staged[near_leaf];
        Index* const to = memory_.staged[multipole_cell];
        __syncwarp(); // the cells have been read
        unsigned placed = 0;
        for (const bool own : {true, false})
            for (unsigned k = 0; k < leaves; k += warp_size) {
                const bool is_leaf = k + lane_ < leaves;
                const Index leaf = is_leaf ? from[k + lane_] : 0, first = lists_.cells[leaf].begin;
                const bool holds_own = first <= end && first + lists_.cells[leaf].count > begin;
                const unsigned bits = __ballot_sync(all_lanes, is_leaf && holds_own == own);
                if (bits >> lane_ & 1)
                    to[placed + __popc(bits & ((1u << lane_) - 1))] = leaf;
                placed += __popc(bits);
            }
        return to;
    }

    /// Returns the sorted particle of a target.
    __device__ Index sorted(Index target) const
    {
        return lists_.targets ? lists_.targets[target] : target;
    }

    /// Writes the leaves as particle ranges, merging adjacent leaves. Returns the number of ranges
    /// and counts their particles.
    __device__ unsigned write_ranges(const Index* leaves, unsigned n, Index* words)
    {
        __syncwarp();
        unsigned ranges = 0;
        Index last_end = no_node; // of the leaf before
        particles_ = 0;
        for (unsigned k = 0; k < n; k += warp_size) {
            const bool is_leaf = k + lane_ < n;
            const Cell cell = is_leaf ? lists_.cells[leaves[k + lane_]] : Cell{};
            const Index count = is_leaf ? cell.count : 0, end = cell.begin + cell.count;
            Index up_to = count;
            for (int step = 1; step < warp_size; step *= 2) {
                const Index other = __shfl_up_sync(all_lanes, up_to, step);
                up_to += int(lane_) >= step ? other : 0;
            }
            Index end_before = __shfl_up_sync(all_lanes, end, 1);
            if (lane_ == 0)
                end_before = last_end;
            const unsigned starts = __ballot_sync(all_lanes, is_leaf && cell.begin != end_before);
            if (starts >> lane_ & 1) {
                const unsigned place = ranges + __popc(starts & ((1u << lane_) - 1));
                words[2 * place] = cell.begin;
                words[2 * place + 1] = particles_ + up_to - count;
            }
            ranges += __popc(starts);
            particles_ += __shfl_sync(all_lanes, up_to, warp_size - 1);
            last_end = __shfl_sync(all_lanes, end, int(min(n - k, unsigned(warp_size))) - 1);
            __syncwarp();
        }
        return ranges;
    }

    const DeviceOpenLists& lists_;
    const ListRow row_;
    const Region region_;
    PruneMemory& memory_;
    const unsigned lane_;
    unsigned count_[kinds];
    Index particles_ = 0;
};

template <class Region>
__global__ void __launch_bounds__(warp_size* prune_warps) prune(DeviceOpenLists lists)
{
    __shared__ PruneMemory memory[prune_warps];
    if (threadIdx.x == 0) {
        lists.note->begin();
        if (blockIdx.x == 0)
            lists.note->row_count = lists.row_count;
    }
    const Index warp = threadIdx.x / warp_size, row = blockIdx.x * prune_warps + warp;
    if (row < lists.row_count)
        GroupWalk<Region>(lists, row, memory[warp]).run(lists.rows[row]);
}

} // namespace

PruneKernel find_prune_kernel(bool is_periodic)
{
    return is_periodic ? prune<walk::PeriodicRegion<double>> : prune<walk::Region<double>>;
}

} // namespace chamomile
