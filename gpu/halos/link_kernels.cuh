/// \file  Kernels of friends-of-friends.
///
/// Strategy. Any two particles of a linking cell are friends, so cells are the nodes of a
/// union-find, and a pair of cells is linked once one pair of friends is found. Cells are sorted
/// along rows of z. A thread owns a cell and looks up 13 rows, which hold the half of the 124 near
/// cells (reach 2) that it must test: a table of key ranges and a short binary search give the
/// first of at most five cells. The 32 cells of a warp follow each other along z, so their rows
/// do too: the loads of a warp hit a few sectors, and planes of x stay in L2. Touching cells are
/// linked first (5 rows). Then most farther cells have the same root, and need no test. The lanes
/// of a warp test a pair of large cells together.
///
/// Registers: 64, for 32 warps a multiprocessor that hide each other's loads; 12 spilled values are
/// those of large pairs. No shared memory.
/// Bytes: upload 24 a particle over PCIe (65 ms for 1.3e8 at 50 GB/s). Device memory, in bytes a
/// particle: keys and boundaries 60, six sort passes 24 each, gather 90 (random sectors), cells
/// 60, links 18 rows x 10 (L2 serves the rest), labels 60, members 80: 650 in all, 25 ms for 1.3e8
/// at 3.5 TB/s.
/// Operations: 18 rows x 80 instructions a cell: 5e9 of warps for 1.3e8 cells, 6 ms at 9e11 a
/// second, three times that with diverging lanes. Pair tests are few: one a linked pair of cells.
///
/// Contraction: none, so that cells and links are the host's.
#pragma once

#include "chamomile/analysis/halos/linking_grid.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/tree/keys.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256, warp_size = 32, all_lanes = 0xffffffffu;
constexpr Index no_group = ~Index(0);

/// Larger products of member counts are tested by a whole warp.
constexpr std::uint64_t max_pairs_alone = 256;

unsigned blocks_of(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

__device__ std::size_t thread_number()
{
    return std::size_t(blockIdx.x) * block_size + threadIdx.x;
}

/// The non-empty cells, sorted by key.
struct SortedCells {
    Index count;
    Key* key;
    Index* first; ///< sorted particle, and the end
    Index* set;   ///< union-find: a cell of lower or equal number in the same set
    Index* start; ///< first cell with a key of at least q << shift, for each q; the end is `count`
    unsigned shift;
    Vec3<double>* place; ///< of sorted particles, wrapped

    __device__ Index size(Index c) const { return first[c + 1] - first[c]; }

    /// Returns the first cell with a key of at least `wanted`, a key of the grid.
    __device__ Index lower_bound(Key wanted) const
    {
        return lower_bound(wanted, start[wanted >> shift], start[(wanted >> shift) + 1]);
    }
    __device__ Index lower_bound(Key wanted, Index low, Index high) const
    {
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (key[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// Other threads change sets: a plain load might repeat an old value of L1.
    __device__ Index set_of(Index c) const { return *static_cast<volatile Index*>(set + c); }

    /// Returns the root, and shortens the way to it. Another thread's newer set of a cell may be
    /// replaced by an older one.
    __device__ Index root_of(Index c) const
    {
        for (;;) {
            const Index above = set_of(c);
            if (above == c)
                return c;
            const Index next = set_of(above);
            if (next == above)
                return above;
            set[c] = next;
            c = next;
        }
    }

    /// The lower root becomes the root, whatever the order of joins.
    __device__ void join(Index a, Index b) const
    {
        for (;;) {
            a = root_of(a);
            b = root_of(b);
            if (a == b)
                return;
            const Index high = a < b ? b : a, low = a < b ? a : b;
            if (atomicCAS(&set[high], high, low) == high)
                return;
        }
    }
};

__global__ void compute_linking_keys(const Vec3<double>* position, std::size_t n, LinkingGrid grid,
                                     Key* key, Index* order)
{
    const std::size_t i = thread_number();
    if (i >= n)
        return;
    key[i] = grid.key_of(grid.periodicity.wrapped(position[i]));
    order[i] = Index(i);
}

__global__ void gather_places(const Vec3<double>* position, std::size_t n, Periodicity periodicity,
                              const Index* order, Vec3<double>* place)
{
    const std::size_t k = thread_number();
    if (k < n)
        place[k] = periodicity.wrapped(position[order[k]]);
}

/// True if sorted particle k opens a cell; false for the first, so that the sum numbers the cells.
struct OpensCell {
    const Key* key;
    __host__ __device__ Index operator()(Index k) const { return k > 0 && key[k] != key[k - 1]; }
};

/// Fills key, first and set. `cell`: of each of the n sorted particles.
__global__ void store_cells(const Key* key, const Index* cell, std::size_t n, SortedCells cells)
{
    const std::size_t k = thread_number();
    if (k >= n)
        return;
    const Index c = cell[k];
    if (k == 0 || cell[k - 1] != c) {
        cells.key[c] = key[k];
        cells.first[c] = Index(k);
        cells.set[c] = c;
    }
    if (k + 1 == n)
        cells.first[cells.count] = Index(n);
}

__global__ void find_starts(SortedCells cells, std::size_t starts)
{
    const std::size_t q = thread_number();
    if (q < starts)
        cells.start[q] = cells.lower_bound(Key(q) << cells.shift, 0, cells.count);
}

/// A CellPair may have friends: particles of b are moved by `shift`.
struct CellPair {
    Index a, b;
    Vec3<double> shift;
};

__device__ bool has_friends(const SortedCells& cells, const LinkingGrid& grid, const CellPair& pair)
{
    for (Index i = cells.first[pair.a]; i < cells.first[pair.a + 1]; ++i) {
        const Vec3<double> p = cells.place[i] - pair.shift;
        for (Index j = cells.first[pair.b]; j < cells.first[pair.b + 1]; ++j)
            if (grid.are_friends(p, cells.place[j]))
                return true;
    }
    return false;
}

__device__ Vec3<double> from_lane(const Vec3<double>& p, int lane)
{
    return {__shfl_sync(all_lanes, p.x, lane), __shfl_sync(all_lanes, p.y, lane),
            __shfl_sync(all_lanes, p.z, lane)};
}

/// Like has_friends(), by all lanes. Particles of a that are far from the box of b are skipped.
__device__ bool warp_has_friends(const SortedCells& cells, const LinkingGrid& grid,
                                 const CellPair& pair)
{
    const unsigned lane = threadIdx.x % warp_size;
    const Index begin = cells.first[pair.b], end = cells.first[pair.b + 1];
    Box box;
    for (Index j = begin + lane; j < end; j += warp_size)
        box.add(cells.place[j]);
    for (unsigned step = warp_size / 2; step > 0; step /= 2)
        box.add(Box{from_lane(box.low, int(lane ^ step)), from_lane(box.high, int(lane ^ step))});
    const Index last = cells.first[pair.a + 1];
    for (Index first = cells.first[pair.a]; first < last; first += warp_size) {
        const Index i = first + lane;
        const Vec3<double> p = cells.place[i < last ? i : first] - pair.shift;
        const bool is_near = i < last && grid.is_near(box, p);
        for (unsigned left = __ballot_sync(all_lanes, is_near); left != 0; left &= left - 1) {
            const Vec3<double> q = from_lane(p, __ffs(int(left)) - 1);
            bool found = false;
            for (Index j = begin + lane; j < end && !found; j += warp_size)
                found = grid.are_friends(q, cells.place[j]);
            if (__any_sync(all_lanes, found))
                return true;
        }
    }
    return false;
}

/// Joins the sets of two cells in each lane if `is_open` and if friends link them.
__device__ void link_pairs(const SortedCells& cells, const LinkingGrid& grid, const CellPair& pair,
                           bool is_open)
{
    const bool differs = is_open && cells.set_of(pair.a) != cells.set_of(pair.b) &&
                         cells.root_of(pair.a) != cells.root_of(pair.b);
    const bool is_large =
        differs && std::uint64_t(cells.size(pair.a)) * cells.size(pair.b) > max_pairs_alone;
    bool is_linked = differs && !is_large && has_friends(cells, grid, pair);
    for (unsigned left = __ballot_sync(all_lanes, is_large); left != 0; left &= left - 1) {
        const int of = __ffs(int(left)) - 1;
        const bool found =
            warp_has_friends(cells, grid,
                             {__shfl_sync(all_lanes, pair.a, of),
                              __shfl_sync(all_lanes, pair.b, of), from_lane(pair.shift, of)});
        is_linked = is_linked || (found && int(threadIdx.x % warp_size) == of);
    }
    if (is_linked)
        cells.join(pair.a, pair.b);
}

/// Links cells with coordinates that differ by more than `inner` and at most `outer`, each thread
/// those of one cell. All lanes stay to the end, for large pairs of other lanes.
__global__ void __launch_bounds__(block_size, 4)
    link_cells(SortedCells cells, LinkingGrid grid, int inner, int outer)
{
    const std::size_t thread = thread_number();
    const bool is_cell = thread < cells.count;
    CellPair pair{};
    pair.a = is_cell ? Index(thread) : cells.count - 1;
    const int width = int(grid.extent[1]), height = int(grid.extent[2]);
    const Key key = cells.key[pair.a], in_plane = key / Key(height);
    const int x = int(in_plane / Key(width)), y = int(in_plane % Key(width)),
              z = int(key % Key(height));
    for (int dx = 0; dx <= outer; ++dx)
        for (int dy = dx > 0 ? -outer : 0; dy <= outer; ++dy) {
            const bool is_own = dx == 0 && dy == 0;
            const int skipped = max(dx, abs(dy)) <= inner ? inner : -1;
            LinkingGrid::Coordinate row_x = x + dx, row_y = y + dy;
            const bool is_row =
                grid.enter(row_x, 0, pair.shift.x) && grid.enter(row_y, 1, pair.shift.y) && is_cell;
            const Key row = (Key(row_x) * Key(width) + Key(row_y)) * Key(height);
            for (int image = grid.periodicity ? -1 : 0; image <= (grid.periodicity ? 1 : 0);
                 ++image) {
                // Cells `from` to `to` of the row, whose image is `image` boxes higher.
                const int middle = z - image * height;
                const int from = max(0, middle - outer), to = min(height - 1, middle + outer);
                if (!__any_sync(all_lanes, is_row && from <= to))
                    continue;
                pair.shift.z = image * grid.periodicity.side;
                pair.b = cells.count;
                if (is_row && from <= to) // the own row: tests higher cells only
                    pair.b = is_own && image == 0 ? pair.a + 1 : cells.lower_bound(row + Key(from));
                for (;; ++pair.b) {
                    const bool is_within =
                        pair.b < cells.count && cells.key[pair.b] <= row + Key(to);
                    if (!__any_sync(all_lanes, is_within))
                        break;
                    link_pairs(cells, grid, pair,
                               is_within && abs(int(cells.key[pair.b] - row) - middle) > skipped);
                }
            }
        }
}

/// Sets each cell's set to its root. A thread writes only its own cell, so that no older set
/// replaces a root.
__global__ void find_roots(SortedCells cells)
{
    const std::size_t c = thread_number();
    if (c >= cells.count)
        return;
    Index root = cells.set_of(Index(c));
    for (Index above = cells.set_of(root); above != root; above = cells.set_of(root))
        root = above;
    cells.set[c] = root;
}

/// Sums the members of each set and finds its first, at the root. Cells of a warp with one root
/// send one atomic, since all cells of a box that percolates have the same.
__global__ void count_members(SortedCells cells, const Index* order, Index* count, Index* min)
{
    const std::size_t thread = thread_number();
    const bool is_cell = thread < cells.count;
    const Index c = is_cell ? Index(thread) : cells.count - 1;
    const Index root = cells.set[c];
    Index members = is_cell ? cells.size(c) : 0, first = order[cells.first[c]];
    bool is_sent = is_cell;
    if (__all_sync(all_lanes, root == __shfl_sync(all_lanes, root, 0))) {
        for (unsigned step = warp_size / 2; step > 0; step /= 2) {
            members += __shfl_xor_sync(all_lanes, members, step);
            const Index other = __shfl_xor_sync(all_lanes, first, step);
            first = other < first ? other : first;
        }
        is_sent = threadIdx.x % warp_size == 0;
    }
    if (is_sent) {
        atomicAdd(&count[root], members);
        atomicMin(&min[root], first);
    }
}

/// True for the roots of sets with enough members.
struct IsGroup {
    const Index *set, *count;
    Index min_members;
    __host__ __device__ bool operator()(Index c) const
    {
        return set[c] == c && count[c] >= min_members;
    }
};

/// Keys that sort groups by decreasing member count, then by first member.
__global__ void compute_group_keys(const Index* root, std::size_t n, const Index* count,
                                   const Index* min, Key* key)
{
    const std::size_t g = thread_number();
    if (g < n)
        key[g] = Key(~count[root[g]]) << 32 | min[root[g]];
}

__global__ void number_groups(const Index* root, std::size_t n, Index* group_of_root)
{
    const std::size_t g = thread_number();
    if (g < n)
        group_of_root[root[g]] = Index(g);
}

__global__ void find_groups(SortedCells cells, const Index* cell, const Index* order, std::size_t n,
                            const Index* group_of_root, Index* group)
{
    const std::size_t k = thread_number();
    if (k < n)
        group[order[k]] = group_of_root[cells.set[cell[k]]];
}

struct IsMember {
    const Index* group;
    __host__ __device__ bool operator()(Index i) const { return group[i] != no_group; }
};

__global__ void gather_groups(const Index* member, std::size_t n, const Index* group,
                              Index* of_member)
{
    const std::size_t k = thread_number();
    if (k < n)
        of_member[k] = group[member[k]];
}

} // namespace
} // namespace chamomile
