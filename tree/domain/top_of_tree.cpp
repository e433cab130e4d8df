#include "chamomile/tree/domain/top_of_tree.hpp"

namespace chamomile {
namespace {

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

/// Copies from[c] to to[at] if `to` has that entry; then `from` must have entry c.
void put(auto& to, std::size_t at, const auto& from, std::size_t c)
{
    if (at < to.size())
        to[at] = from[c];
}

} // namespace

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
}

void TopOfTree::plant_cells(Octree& octree) const
{
    for (const TopCell& top : tops_)
        octree.cells[top.at] = top.cell;
}

void TopOfTree::plant_moments(const CoarseTree& coarse, Moments& moments, std::size_t cells) const
{
    const Moments& from = coarse.moments;
    for (std::size_t c = 0; c < cell_of_.size() && cell_of_[c] < cells; ++c) {
        const Index at = cell_of_[c];
        moments.multipole[at] = from.multipole[c];
        moments.bounds[at] = from.bounds[c];
        put(moments.higher, at, from.higher, c);
        put(moments.softening, at, from.softening, c);
    }
}

std::vector<LeafLink> TopOfTree::link(Tree& tree, const CoarseTree& coarse,
                                      std::span<const ImportedLeaf> leaves, Index nodes) const
{
    std::vector<LeafLink> links;
    if (leaves.empty())
        return links;
    std::vector<Index> lanes;
    find_lanes(coarse, tree.nodes.nodes, 0, 0, lanes);
    for (const ImportedLeaf& leaf : leaves) {
        if (leaf.cells == 0) { // only particles were imported
            tree.octree.cells[cell_of_[coarse.leaves[leaf.leaf]]].begin = leaf.first_particle;
            continue;
        }
        const LeafLink link{lanes[leaf.leaf], nodes + Index(links.size()), leaf.first_cell,
                            leaf.first_cell + leaf.cells};
        WalkNode& node = tree.nodes.nodes[link.lane / WalkNode::width];
        const Index lane = link.lane % WalkNode::width;
        node.node[lane] = link.node;
        node.inner |= Index(1) << lane;
        links.push_back(link);
    }
    return links;
}

} // namespace chamomile
