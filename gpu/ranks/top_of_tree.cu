// Contraction: none.
#include "chamomile/gpu/ranks/item_threads.cuh"
#include "chamomile/gpu/ranks/top_of_tree.cuh"
#include "chamomile/tree/walk_nodes.hpp"

namespace chamomile {
namespace {

__global__ void scatter_cells(const TopCell* tops, std::size_t n, Cell* cells)
{
    const std::size_t k = thread_number();
    if (k < n)
        cells[tops[k].at] = tops[k].cell;
}

template <class T>
__global__ void gather_records(const T* all, const Index* at, std::size_t n, T* some)
{
    const std::size_t k = thread_number();
    if (k < n)
        some[k] = all[at[k]];
}

template <class T>
__global__ void scatter_records(const T* some, const Index* at, std::size_t n, T* all)
{
    const std::size_t k = thread_number();
    if (k < n)
        all[at[k]] = some[k];
}

__global__ void link_lanes(const LeafLink* links, std::size_t n, WalkNode* nodes)
{
    const std::size_t k = thread_number();
    if (k >= n)
        return;
    const int lane = int(links[k].lane % WalkNode::width);
    WalkNode& node = nodes[links[k].lane / WalkNode::width];
    node.node[lane] = links[k].node;
    atomicOr(&node.inner, Index(1) << lane);
}

} // namespace

std::vector<CellRoot> DeviceTop::roots(const DistributedTree& distributed) const
{
    std::vector<CellRoot> roots;
    std::size_t k = distributed.first_leaf();
    for (const Cell& leaf : distributed.own_leaves()) {
        // Counts the cells of the coarse tree before this leaf, without this rank's leaves.
        const Index before = distributed.coarse.leaves[k] - Index(k - distributed.first_leaf());
        roots.push_back({leaf.begin, leaf.count, leaf.octant, before});
        ++k;
    }
    return roots;
}

void DeviceTop::number(const DistributedTree& distributed, std::span<const Index> before_roots,
                       Index cells)
{
    top_.number(distributed, before_roots, cells);
    const std::span<const TopCell> tops = top_.tops();
    std::vector<Index> at;
    for (const TopCell& top : tops)
        at.push_back(top.at);
    at.insert(at.end(), top_.own_roots().begin(), top_.own_roots().end());
    if (!at.empty())
        tree_.staging.upload(at_, at.data(), at.size(), tree_.stream);
    if (!tops.empty())
        tree_.staging.upload(device_tops_, tops.data(), tops.size(), tree_.stream);
}

void DeviceTop::plant_cells()
{
    const std::size_t n = top_.tops().size();
    if (n == 0)
        return;
    scatter_cells<<<blocks_of(n), block_size, 0, tree_.stream>>>(device_tops_.data(), n,
                                                                 tree_.cells.data());
    check(cudaGetLastError(), "launch the cells of the coarse tree");
}

template <class T>
void DeviceTop::gather(DeviceBuffer<T>& from, DeviceBuffer<T>& some, std::pmr::vector<T>& to)
{
    const std::size_t n = top_.own_roots().size();
    to.resize(n);
    if (n == 0)
        return;
    gather_records<<<blocks_of(n), block_size, 0, tree_.stream>>>(
        from.data(), at_.data() + top_.tops().size(), n, some.reserve(n));
    check(cudaGetLastError(), "launch the gather of roots");
    tree_.staging.download(to.data(), some.data(), n, tree_.stream);
}

Moments DeviceTop::moments_of_roots(int order)
{
    Moments roots;
    gather(tree_.multipoles, multipoles_, roots.multipole);
    if (order > 2)
        gather(tree_.higher, higher_, roots.higher);
    if (tree_.has_softenings) {
        std::pmr::vector<CellSoftening> softening;
        gather(tree_.cell_softening, softenings_, softening);
        roots.softening.assign(softening.begin(), softening.end());
    }
    return roots;
}

template <class T>
void DeviceTop::scatter(const std::vector<T>& some, DeviceBuffer<T>& memory, DeviceBuffer<T>& to)
{
    if (some.empty())
        return;
    tree_.staging.upload(memory, some.data(), some.size(), tree_.stream);
    scatter_records<<<blocks_of(some.size()), block_size, 0, tree_.stream>>>(
        memory.data(), at_.data(), some.size(), to.data());
    check(cudaGetLastError(), "launch the moments of the coarse tree");
}

template <class T, class Values>
std::vector<T> DeviceTop::of_tops(const Values& values) const
{
    std::vector<T> some;
    for (const Index c : top_.coarse_of_tops())
        if (!values.empty())
            some.push_back(values[c]);
    return some;
}

void DeviceTop::plant_moments(const CoarseTree& coarse)
{
    const Moments& from = coarse.moments;
    scatter(of_tops<Multipole>(from.multipole), multipoles_, tree_.multipoles);
    scatter(of_tops<Box>(from.bounds), bounds_, tree_.bounds);
    scatter(of_tops<HigherMoments>(from.higher), higher_, tree_.higher);
    if (tree_.has_softenings)
        scatter(of_tops<CellSoftening>(from.softening), softenings_, tree_.cell_softening);
}

std::span<const LeafLink> DeviceTop::link(Tree& tree, const CoarseTree& coarse,
                                          std::span<const ImportedLeaf> leaves, Index nodes)
{
    links_ = top_.link(tree, coarse, leaves, nodes);
    for (const ImportedLeaf& leaf : leaves)
        if (leaf.cells == 0) // only particles were imported
            check(cudaMemcpyAsync(
                      &tree_.cells.data()[top_.cell_of()[coarse.leaves[leaf.leaf]]].begin,
                      &leaf.first_particle, sizeof(Index), cudaMemcpyHostToDevice, tree_.stream),
                  "copy the first particle of a leaf");
    if (links_.empty())
        return links_;
    tree_.staging.upload(device_links_, links_.data(), links_.size(), tree_.stream);
    link_lanes<<<blocks_of(links_.size()), block_size, 0, tree_.stream>>>(
        device_links_.data(), links_.size(), tree_.nodes.data());
    check(cudaGetLastError(), "launch the links of leaves");
    return links_;
}

} // namespace chamomile
