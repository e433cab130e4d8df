// Cells exported to other ranks. A warp walks the nodes below this rank's leaves of the coarse tree
// for one region of another rank and marks the cells it opens: some 50 bytes and 40 operations a
// test. The marked cells and particles are then packed in the order of the tree: 144 bytes a cell,
// 32 a particle. Contraction: none, so that opening radii match the host's bitwise.
#include <cstring>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "chamomile/gpu/ranks/essential_cells.cuh"
#include "chamomile/gpu/ranks/item_threads.cuh"
#include "chamomile/gpu/ranks/warp_walk.cuh"
#include "chamomile/gpu/tree/node_kernels.cuh"

namespace chamomile {
namespace {

constexpr unsigned mark_warps = 4; // per block
/// Marks of a cell.
constexpr Index opens_daughters = 1, opens_particles = 2, is_exported = 4;

struct CellCounts {
    Index cells, particles, divided;

    __host__ __device__ friend CellCounts operator+(const CellCounts& a, const CellCounts& b)
    {
        return {a.cells + b.cells, a.particles + b.particles, a.divided + b.divided};
    }
};

/// A PackedCell is an exported cell, in the order of the tree.
struct PackedCell {
    Multipole multipole;
    Box bounds;
    Index count;
    Index next; ///< exported cells from here to the end of the subtree
    Index octant;
    Index first_particle; ///< in the message; absent_particles: not sent
};

/// A MessageHead precedes the LeafHeads.
struct MessageHead {
    std::uint64_t cells, particles, divided, leaves;
};

struct LeafHead {
    Index leaf, cells, particles;
};

/// A PackedTrees places the arrays of a message: cells, particles, optional moments and softenings.
/// The particles follow the cells, both in units of 16 bytes.
struct PackedTrees {
    std::byte* at;
    std::size_t cells, particles;
    bool has_higher, has_softenings;

    __host__ __device__ PackedCell* cell() const { return reinterpret_cast<PackedCell*>(at); }
    __host__ __device__ Source* particle() const
    {
        return reinterpret_cast<Source*>(cell() + cells);
    }
    __host__ __device__ HigherMoments* higher() const
    {
        return reinterpret_cast<HigherMoments*>(particle() + particles);
    }
    __host__ __device__ CellSoftening* softening() const
    {
        return reinterpret_cast<CellSoftening*>(higher() + (has_higher ? cells : 0));
    }
    __host__ __device__ double* length() const
    {
        return reinterpret_cast<double*>(softening() + (has_softenings ? cells : 0));
    }
    __host__ __device__ std::size_t bytes() const
    {
        return std::size_t(
            reinterpret_cast<const std::byte*>(length() + (has_softenings ? particles : 0)) - at);
    }
};

/// Device arrays of a tree.
struct CellArrays {
    Cell* cells;
    Multipole* multipoles;
    Box* bounds;
    HigherMoments* higher;     ///< null: none
    CellSoftening* softenings; ///< null: none
    Source* sources;
    double* lengths; ///< with softenings
};

/// The cell of each root, and the node of its daughters.
struct RootArrays {
    const Index *cells, *nodes;
    std::size_t count;
};

/// An OpenedCells marks the cells that one region opens.
struct OpenedCells {
    const ImportRegion& region;
    Index* marks;

    /// Marks a cell. Returns true if the region opens its daughters.
    __device__ bool mark(Index c, bool is_leaf, const RemoteOpeningTest& opening) const
    {
        const RemoteOpeningTest::Answer opens = opening.by(region);
        const bool is_opened = is_leaf ? opens.particles : opens.daughters;
        const Index mark = is_leaf ? opens_particles : opens_daughters;
        if (is_opened && !(marks[c] & mark))
            atomicOr(marks + c, mark);
        return is_opened && !is_leaf;
    }
};

/// Each warp marks the cells that one region opens below the roots. RemoteOpeningTest radii come
/// from the nodes; only those of the roots are computed here.
template <class Reach>
__global__ void __launch_bounds__(32 * mark_warps)
    mark_opened(CellArrays tree, Reach reach_of, WalkUnits units, OpeningRule rule,
                RootArrays roots, const WalkNode* nodes, const ImportRegion* regions,
                std::size_t region_count, Index* marks)
{
    __shared__ Index stacks[mark_warps][WarpWalk::room];
    const std::size_t r = std::size_t(blockIdx.x) * mark_warps + threadIdx.x / 32;
    if (r >= region_count)
        return;
    const ImportRegion region = regions[r];
    const OpenedCells opened{region, marks};
    const auto is_leaf = [&](Index c) { return tree.cells[c].next == c + 1; };
    WarpWalk walk{stacks[threadIdx.x / 32], threadIdx.x % 32};
    for (std::size_t first = 0; first < roots.count; first += 32) {
        Index daughters = no_node;
        if (const std::size_t k = first + walk.lane; k < roots.count) {
            const Index c = roots.cells[k];
            const Multipole& multipole = tree.multipoles[c];
            const OpeningRadius reach = reach_of(c, multipole, tree.bounds[c], units);
            if (opened.mark(c, is_leaf(c), {rule, multipole.center, reach}))
                daughters = roots.nodes[k];
        }
        walk.push(daughters);
        walk.finish(
            nodes,
            [&](const WalkNode& node, int k) {
                const RemoteOpeningTest opening(rule, {node.x[k], node.y[k], node.z[k]},
                                                {node.min[k], node.relative[k], node.expansion[k]});
                return opened.mark(node.cell[k], !(node.inner >> k & 1), opening) ? node.node[k]
                                                                                  : no_node;
            },
            [&](const WalkNode& node, int k) { // no room: opens the whole subtree
                const Index c = node.cell[k];
                for (Index d = c + 1; d < tree.cells[c].next; ++d)
                    atomicOr(marks + d, is_leaf(d) ? opens_particles : opens_daughters);
            });
    }
}

__global__ void gather_nodes(const Index* node_of, const Index* roots, std::size_t n, Index* nodes)
{
    if (const std::size_t k = thread_number(); k < n)
        nodes[k] = node_of[roots[k]];
}

__global__ void mark_exported(const Cell* cells, Index n, Index* marks)
{
    const Index c = Index(thread_number());
    if (c >= n || !(marks[c] & opens_daughters))
        return;
    for (Index d = c + 1; d < cells[c].next; d = cells[d].next)
        atomicOr(marks + d, is_exported);
}

/// Counts what is exported of a cell.
struct CountExported {
    const Cell* cells;
    const Index* marks;
    Index n;

    __device__ CellCounts operator()(Index c) const
    {
        if (c >= n || marks[c] == 0)
            return {0, 0, 0};
        const Index mark = marks[c], is_sent = mark & is_exported ? 1 : 0;
        return {is_sent, mark & opens_particles ? cells[c].count : 0,
                mark & opens_daughters ? is_sent : 0};
    }
};

/// Gathers the counts before each root and at the end of its tree.
__global__ void gather_counts(const Cell* cells, const CellCounts* before, const Index* roots,
                              std::size_t n, CellCounts* of_roots)
{
    const std::size_t k = thread_number();
    if (k >= n)
        return;
    of_roots[2 * k] = before[roots[k]];
    of_roots[2 * k + 1] = before[cells[roots[k]].next];
}

__global__ void pack_cells(CellArrays tree, Index n, const Index* marks, const CellCounts* before,
                           PackedTrees to)
{
    const Index c = Index(thread_number());
    if (c >= n || !(marks[c] & (is_exported | opens_particles)))
        return;
    const Cell cell = tree.cells[c];
    const bool has_particles = marks[c] & opens_particles;
    const CellCounts at = before[c];
    if (marks[c] & is_exported) {
        to.cell()[at.cells] = {tree.multipoles[c], tree.bounds[c],
                               cell.count,         before[cell.next].cells - at.cells,
                               cell.octant,        has_particles ? at.particles : absent_particles};
        if (to.has_higher)
            to.higher()[at.cells] = tree.higher[c];
        if (to.has_softenings)
            to.softening()[at.cells] = tree.softenings[c];
    }
    if (has_particles)
        for (Index k = 0; k < cell.count; ++k) {
            to.particle()[at.particles + k] = tree.sources[cell.begin + k];
            if (to.has_softenings)
                to.length()[at.particles + k] = tree.lengths[cell.begin + k];
        }
}

/// Appends imported cells from cell `first` on. Their particles begin at source
/// `first_source`.
__global__ void copy_cells(PackedTrees from, Index first, Index first_source, CellArrays tree)
{
    const Index k = Index(thread_number());
    if (k >= from.cells)
        return;
    const PackedCell& cell = from.cell()[k];
    const Index c = first + k;
    tree.cells[c] = {cell.first_particle == absent_particles ? absent_particles
                                                             : first_source + cell.first_particle,
                     cell.count, c + cell.next, cell.octant};
    tree.multipoles[c] = cell.multipole;
    tree.bounds[c] = cell.bounds;
    if (from.has_higher)
        tree.higher[c] = from.higher()[k];
    if (from.has_softenings)
        tree.softenings[c] = from.softening()[k];
}

/// A thread finds the owners for one region; owners begin at 0.
__global__ void find_owners_of_leaves(const CoarseOpening* coarse, std::size_t cells,
                                      const ImportRegion* regions, std::size_t n, int ranks,
                                      char* owners)
{
    const std::size_t r = thread_number();
    if (r >= n)
        return;
    char* const own = owners + r * std::size_t(ranks);
    CoarseOpening::find(coarse, cells, regions[r], ranks - 1, [own](int rank) {
        const bool is_new = !own[rank];
        own[rank] = 1;
        return is_new;
    });
}

CellArrays arrays_of(DeviceTree& t, bool has_higher)
{
    return {t.cells.data(),
            t.multipoles.data(),
            t.bounds.data(),
            has_higher ? t.higher.data() : nullptr,
            t.has_softenings ? t.cell_softening.data() : nullptr,
            t.sources.data(),
            t.softening.data()};
}

} // namespace

void EssentialCells::set_roots(std::span<const Index> roots, const Index* node_of)
{
    const std::size_t n = roots.size();
    if (n == 0)
        return;
    chamomile::upload(roots_, roots.data(), n, tree_.stream);
    gather_nodes<<<blocks_of(n), block_size, 0, tree_.stream>>>(node_of, roots_.data(), n,
                                                                root_nodes_.reserve(n));
    check(cudaGetLastError(), "launch the nodes of roots");
}

void EssentialCells::find_owners(std::span<const CoarseOpening> coarse,
                                 std::span<const ImportRegion> regions, int ranks,
                                 std::span<char> owners)
{
    const Stream& stream = tree_.stream;
    upload(coarse_, coarse.data(), coarse.size(), stream);
    upload(regions_, regions.data(), regions.size(), stream);
    char* const there = owners_.reserve(owners.size());
    check(cudaMemsetAsync(there, 0, owners.size(), stream), "clear owners of leaves");
    find_owners_of_leaves<<<blocks_of(regions.size()), block_size, 0, stream>>>(
        coarse_.data(), coarse.size(), regions_.data(), regions.size(), ranks, there);
    check(cudaGetLastError(), "launch the search for owners of leaves");
    download(owners.data(), there, owners.size(), stream);
    stream.wait();
}

void EssentialCells::import(const OwnCells& own, const ImportRequests& asked, const Multipole& root,
                            Communicator& ranks)
{
    DeviceTree& t = tree_;
    const bool has_higher = asked.criterion.order > 2;
    leaving_.resize(std::size_t(ranks.size()));
    std::vector<DeviceMessage> messages{std::size_t(ranks.size())};
    for (int r = 0; r < ranks.size(); ++r)
        if (r != ranks.rank())
            messages[std::size_t(r)] = answer(own, asked, root, r);
    exchange_.exchange(messages, ranks, t.stream);
    append(own, has_higher, ranks);
}

/// Packs the cells and particles that the regions of `rank` open.
DeviceMessage EssentialCells::answer(const OwnCells& own, const ImportRequests& asked,
                                     const Multipole& root, int rank)
{
    DeviceTree& t = tree_;
    const std::span<const ImportRegion> regions = asked.regions.from<ImportRegion>(rank);
    const std::size_t n = own.cells, roots = own.roots.size();
    if (regions.empty() || roots == 0)
        return {};
    const bool has_higher = asked.criterion.order > 2;
    const CellArrays tree = arrays_of(t, has_higher);
    t.staging.upload(regions_, regions.data(), regions.size(), t.stream);
    Index* const marks = opened_.reserve(n);
    check(cudaMemsetAsync(marks, 0, n * sizeof(Index), t.stream), "clear marks of cells");
    with_reach(t, asked.criterion, root, asked.units, [&](const auto& reach_of) {
        mark_opened<<<unsigned((regions.size() - 1) / mark_warps + 1), 32 * mark_warps, 0,
                      t.stream>>>(tree, reach_of, asked.units, OpeningRule(asked.criterion),
                                  {roots_.data(), root_nodes_.data(), roots}, t.nodes.data(),
                                  regions_.data(), regions.size(), marks);
    });
    mark_exported<<<blocks_of(n), block_size, 0, t.stream>>>(tree.cells, Index(n), marks);
    check(cudaGetLastError(), "launch the marks of cells");
    auto* const before =
        reinterpret_cast<CellCounts*>(counts_.reserve((n + 1) * sizeof(CellCounts)));
    call_thrust("launch the count of exported cells", [&] {
        const auto counts = thrust::make_transform_iterator(
            thrust::make_counting_iterator(Index(0)), CountExported{tree.cells, marks, Index(n)});
        thrust::exclusive_scan(thrust::cuda::par_nosync(scratch_).on(t.stream), counts,
                               counts + std::ptrdiff_t(n + 1), before, CellCounts{0, 0, 0});
    });
    auto* const of_roots =
        reinterpret_cast<CellCounts*>(root_counts_.reserve(2 * roots * sizeof(CellCounts)));
    gather_counts<<<blocks_of(roots), block_size, 0, t.stream>>>(tree.cells, before, roots_.data(),
                                                                 roots, of_roots);
    check(cudaGetLastError(), "launch the counts of exported cells");
    auto* const here =
        reinterpret_cast<CellCounts*>(host_counts_.reserve(2 * roots * sizeof(CellCounts)));
    download(here, of_roots, 2 * roots, t.stream);
    t.stream.wait();
    std::vector<LeafHead> leaves;
    for (std::size_t k = 0; k < roots; ++k) {
        const CellCounts &from = here[2 * k], &to = here[2 * k + 1];
        if (to.cells > from.cells || to.particles > from.particles)
            leaves.push_back(
                {Index(own.first_leaf + k), to.cells - from.cells, to.particles - from.particles});
    }
    if (leaves.empty())
        return {};
    const CellCounts all = here[2 * roots - 1]; // no cell before the first root is marked
    PackedTrees packed{nullptr, all.cells, all.particles, has_higher, t.has_softenings};
    packed.at = leaving_[std::size_t(rank)].reserve(packed.bytes());
    pack_cells<<<blocks_of(n), block_size, 0, t.stream>>>(tree, Index(n), marks, before, packed);
    check(cudaGetLastError(), "launch the packing of cells");
    const MessageHead head{all.cells, all.particles, all.divided, leaves.size()};
    DeviceMessage message{{}, packed.at, packed.bytes()};
    const auto put = [&](std::span<const std::byte> bytes) {
        message.head.insert(message.head.end(), bytes.begin(), bytes.end());
    };
    put(std::as_bytes(std::span(&head, 1)));
    put(std::as_bytes(std::span(leaves)));
    return message;
}

/// Appends the received cells and particles.
void EssentialCells::append(const OwnCells& own, bool has_higher, Communicator& ranks)
{
    DeviceTree& t = tree_;
    clear();
    std::vector<MessageHead> heads;
    for (int r = 0; r < ranks.size(); ++r) {
        MessageHead& head = heads.emplace_back();
        head = {};
        const std::span<const std::byte> bytes = exchange_.head(r);
        if (bytes.empty())
            continue;
        std::memcpy(&head, bytes.data(), sizeof head);
        std::vector<LeafHead> leaves(head.leaves);
        std::memcpy(leaves.data(), bytes.data() + sizeof head, leaves.size() * sizeof leaves[0]);
        std::size_t cell = own.cells + imported_.cells,
                    particle = own.sources + imported_.particles;
        for (const LeafHead& leaf : leaves) {
            leaves_.push_back({leaf.leaf, Index(cell), leaf.cells, Index(particle)});
            cell += leaf.cells;
            particle += leaf.particles;
        }
        imported_.cells += head.cells;
        imported_.particles += head.particles;
        divided_ += head.divided;
    }
    const std::size_t cells = own.cells + imported_.cells,
                      particles = own.sources + imported_.particles;
    check_number(particles);
    t.cells.extend(cells, own.cells, t.stream);
    t.multipoles.extend(cells, own.cells, t.stream);
    t.bounds.extend(cells, own.cells, t.stream);
    if (has_higher)
        t.higher.extend(cells, own.cells, t.stream);
    t.sources.extend(particles, own.sources, t.stream);
    if (t.has_softenings) {
        t.cell_softening.extend(cells, own.cells, t.stream);
        t.softening.extend(particles, own.sources, t.stream);
    }
    const CellArrays tree = arrays_of(t, has_higher);
    std::size_t first = own.cells, source = own.sources;
    for (int r = 0; r < ranks.size(); ++r) {
        const MessageHead& head = heads[std::size_t(r)];
        const PackedTrees packed{const_cast<std::byte*>(exchange_.data(r)), head.cells,
                                 head.particles, has_higher, t.has_softenings};
        if (head.cells > 0)
            copy_cells<<<blocks_of(head.cells), block_size, 0, t.stream>>>(packed, Index(first),
                                                                           Index(source), tree);
        check(cudaGetLastError(), "launch the import of cells");
        const auto copy = [&](auto* to, const auto* from) {
            if (head.particles > 0)
                check(cudaMemcpyAsync(to, from, head.particles * sizeof *to,
                                      cudaMemcpyDeviceToDevice, t.stream),
                      "copy within the device");
        };
        copy(tree.sources + source, packed.particle());
        if (t.has_softenings)
            copy(tree.lengths + source, packed.length());
        first += head.cells;
        source += head.particles;
    }
}

} // namespace chamomile
