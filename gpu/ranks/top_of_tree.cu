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

/// Finds the lane of each leaf below a cell, starting from the cell's lane. Returns the next cell.
Index find_lanes(const CoarseTree& coarse, const std::pmr::vector<WalkNode>& nodes, Index cell,
                 Index lane, std::vector<Index>& lanes)
{
    const Index next = coarse.octree.cells[cell].next;
    if (next == cell + 1) {
        lanes.push_back(lane);
        return next;
    }
    const Index node = nodes[lane / WalkNode::width].node[lane % WalkNode::width];
    int k = 0;
    for (Index d = cell + 1; d < next; ++k)
        d = find_lanes(coarse, nodes, d, lane_of_node(node, k), lanes);
    return next;
}

} // namespace

std::vector<CellRoot> TopOfTree::roots(const DistributedTree& distributed) const
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

void TopOfTree::number(const DistributedTree& distributed, std::span<const Index> before_roots,
                       Index cells)
{
    const Octree& octree = distributed.coarse.octree;
    const Index n = Index(octree.cells.size());
    cell_of_.resize(n);
    own_roots_.clear();
    tops_.clear();
    top_cell_.clear();
    divided_ = 0;
    std::size_t leaf = 0;
    Index tops = 0, own = 0;
    for (Index c = 0; c < n; ++c) {
        cell_of_[c] = tops + own;
        const bool is_leaf = octree.is_leaf(c);
        const std::size_t k = leaf;
        leaf += is_leaf;
        if (is_leaf && k >= distributed.first_leaf() && k < distributed.end_leaf()) {
            own_roots_.push_back(cell_of_[c]);
            const std::size_t after = k + 1 - distributed.first_leaf();
            own = after < before_roots.size() ? before_roots[after] : cells;
            continue;
        }
        ++tops;
        divided_ += !is_leaf;
        const Cell& cell = octree.cells[c];
        tops_.push_back({cell_of_[c], {absent_particles, cell.count, 0, cell.octant}});
        top_cell_.push_back(c);
    }
    const auto place = [&](Index c) { return c < n ? cell_of_[c] : tops + own; };
    for (std::size_t k = 0; k < tops_.size(); ++k)
        tops_[k].cell.next =
            octree.is_leaf(top_cell_[k]) ? tops_[k].at + 1 : place(octree.cells[top_cell_[k]].next);
    if (n == 0)
        return;
    std::vector<Index> at;
    for (const TopCell& top : tops_)
        at.push_back(top.at);
    at.insert(at.end(), own_roots_.begin(), own_roots_.end());
    tree_.staging.upload(at_, at.data(), at.size(), tree_.stream);
    if (!tops_.empty())
        tree_.staging.upload(device_tops_, tops_.data(), tops_.size(), tree_.stream);
}

void TopOfTree::plant_cells()
{
    if (tops_.empty())
        return;
    scatter_cells<<<blocks_of(tops_.size()), block_size, 0, tree_.stream>>>(
        device_tops_.data(), tops_.size(), tree_.cells.data());
    check(cudaGetLastError(), "launch the cells of the coarse tree");
}

void TopOfTree::plant_cells(Octree& octree) const
{
    for (const TopCell& top : tops_)
        octree.cells[top.at] = top.cell;
}

template <class T>
void TopOfTree::gather(DeviceBuffer<T>& from, DeviceBuffer<T>& some, std::pmr::vector<T>& to)
{
    const std::size_t n = own_roots_.size();
    to.resize(n);
    if (n == 0)
        return;
    gather_records<<<blocks_of(n), block_size, 0, tree_.stream>>>(
        from.data(), at_.data() + tops_.size(), n, some.reserve(n));
    check(cudaGetLastError(), "launch the gather of roots");
    tree_.staging.download(to.data(), some.data(), n, tree_.stream);
}

Moments TopOfTree::moments_of_roots(int order)
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
void TopOfTree::scatter(const std::vector<T>& some, DeviceBuffer<T>& memory, DeviceBuffer<T>& to)
{
    if (some.empty())
        return;
    tree_.staging.upload(memory, some.data(), some.size(), tree_.stream);
    scatter_records<<<blocks_of(some.size()), block_size, 0, tree_.stream>>>(
        memory.data(), at_.data(), some.size(), to.data());
    check(cudaGetLastError(), "launch the moments of the coarse tree");
}

template <class T, class Values>
std::vector<T> TopOfTree::of_tops(const Values& values) const
{
    std::vector<T> some;
    for (std::size_t k = 0; !values.empty() && k < top_cell_.size(); ++k)
        some.push_back(values[top_cell_[k]]);
    return some;
}

void TopOfTree::plant_moments(const CoarseTree& coarse)
{
    const Moments& from = coarse.moments;
    scatter(of_tops<Multipole>(from.multipole), multipoles_, tree_.multipoles);
    scatter(of_tops<Box>(from.bounds), bounds_, tree_.bounds);
    scatter(of_tops<HigherMoments>(from.higher), higher_, tree_.higher);
    if (tree_.has_softenings)
        scatter(of_tops<CellSoftening>(from.softening), softenings_, tree_.cell_softening);
}

void TopOfTree::plant_moments(const CoarseTree& coarse, Moments& moments, std::size_t cells) const
{
    const Moments& from = coarse.moments;
    for (std::size_t c = 0; c < cell_of_.size() && cell_of_[c] < cells; ++c) {
        moments.multipole[cell_of_[c]] = from.multipole[c];
        moments.bounds[cell_of_[c]] = from.bounds[c];
    }
}

std::span<const LeafLink> TopOfTree::link(Tree& tree, const CoarseTree& coarse,
                                          std::span<const ImportedLeaf> leaves, Index nodes)
{
    links_.clear();
    if (leaves.empty())
        return links_;
    std::vector<Index> lanes;
    find_lanes(coarse, tree.nodes.nodes, 0, 0, lanes);
    for (const ImportedLeaf& leaf : leaves) {
        const Index at = cell_of_[coarse.leaves[leaf.leaf]];
        if (leaf.cells == 0) { // only particles were imported
            tree.octree.cells[at].begin = leaf.first_particle;
            check(cudaMemcpyAsync(&tree_.cells.data()[at].begin, &leaf.first_particle,
                                  sizeof(Index), cudaMemcpyHostToDevice, tree_.stream),
                  "copy the first particle of a leaf");
            continue;
        }
        const LeafLink link{lanes[leaf.leaf], nodes + Index(links_.size()), leaf.first_cell,
                            leaf.first_cell + leaf.cells};
        WalkNode& node = tree.nodes.nodes[link.lane / WalkNode::width];
        const Index lane = link.lane % WalkNode::width;
        node.node[lane] = link.node;
        node.inner |= Index(1) << lane;
        links_.push_back(link);
    }
    if (links_.empty())
        return links_;
    tree_.staging.upload(device_links_, links_.data(), links_.size(), tree_.stream);
    link_lanes<<<blocks_of(links_.size()), block_size, 0, tree_.stream>>>(
        device_links_.data(), links_.size(), tree_.nodes.data());
    check(cudaGetLastError(), "launch the links of leaves");
    return links_;
}

} // namespace chamomile
