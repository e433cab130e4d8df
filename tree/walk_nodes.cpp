#include "chamomile/tree/walk_nodes.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/own_softenings.hpp"

namespace chamomile {
namespace {

constexpr std::size_t block = 4096; // cells that a thread numbers at a time

/// Numbers the nodes of cells `begin` and above from `node` on; no_node for leaves. Returns the
/// number of nodes.
Index number_nodes(std::pmr::vector<Index>& node_of, const Octree& octree, std::size_t begin,
                   Index node)
{
    const std::size_t n = octree.cells.size(), blocks = (n - begin + block - 1) / block;
    std::vector<Index> first(blocks + 1);
    first[0] = node;
    const auto cells_of = [&](std::size_t b, const auto& visit) {
        for (std::size_t c = begin + b * block; c < std::min(n, begin + (b + 1) * block); ++c)
            visit(Index(c));
    };
#pragma omp parallel for if (n - begin > worth_threads)
    for (std::size_t b = 0; b < blocks; ++b)
        cells_of(b, [&](Index c) { first[b + 1] += !octree.is_leaf(c); });
    for (std::size_t b = 0; b < blocks; ++b)
        first[b + 1] += first[b];
#pragma omp parallel for if (n - begin > worth_threads)
    for (std::size_t b = 0; b < blocks; ++b) {
        Index next = first[b];
        cells_of(b, [&](Index c) { node_of[c] = octree.is_leaf(c) ? no_node : next++; });
    }
    return first[blocks];
}

/// Fills nodes with lanes of cells.
struct NodeFiller {
    WalkNodes& walk_nodes;
    const Octree& octree;
    const Moments& moments;
    const TreeReach& reach;
    std::span<const OpeningRadius> known;

    /// Fills the node of the sisters begin .. end.
    void fill(Index number, Index begin, Index end) const
    {
        int lane = 0;
        WalkNode& node = walk_nodes.nodes[number];
        const std::pmr::vector<Index>& node_of = walk_nodes.node_of;
        node = {};
        for (Index c = begin; c < end; c = octree.cells[c].next, ++lane) {
            fill_lane(node, lane, c, node_of[c], moments.multipole[c],
                      known.empty() ? reach.of(moments, c) : known[c], walk_nodes.units);
            node.inner |= Index(node_of[c] != no_node) << lane;
        }
        assert(lane <= 8);
        node.lanes = (Index(1) << lane) - 1;
    }

    /// Fills the nodes of the cells from `first` on that have daughters.
    void fill_from(std::size_t first) const
    {
        const std::size_t n = octree.cells.size();
#pragma omp parallel for if (n - first > worth_threads) schedule(static)
        for (std::size_t c = first; c < n; ++c)
            if (const Index node = walk_nodes.node_of[c]; node != no_node)
                fill(node, Index(c) + 1, octree.cells[c].next);
    }
};

} // namespace

void make_walk_nodes(WalkNodes& walk_nodes, const Octree& octree, const Moments& moments,
                     const AcceptanceCriterion& criterion, std::span<const OpeningRadius> known)
{
    const std::size_t n = octree.cells.size();
    resize_discarding(walk_nodes.node_of, n);
    resize_discarding(walk_nodes.nodes,
                      number_nodes(walk_nodes.node_of, octree, 0, 1)); // 0: above the root
    assert(n == 0 || walk_nodes.nodes.size() == octree.divided + 1);
    walk_nodes.units = {};
    if (n == 0)
        return;
    assert(known.empty() || known.size() == n);
    const TreeReach reach(criterion, moments);
    walk_nodes.units = reach.units();
    const NodeFiller filler{walk_nodes, octree, moments, reach, known};
    filler.fill(0, 0, Index(n));
    filler.fill_from(0);
}

void add_walk_nodes(WalkNodes& walk_nodes, const Octree& octree, const Moments& moments,
                    const AcceptanceCriterion& criterion, Index first, std::size_t before,
                    std::span<const LeafLink> links)
{
    resize_keeping(walk_nodes.node_of, octree.cells.size());
    resize_keeping(walk_nodes.nodes,
                   number_nodes(walk_nodes.node_of, octree, first, Index(before + links.size())));
    const TreeReach reach(criterion, moments);
    const NodeFiller filler{walk_nodes, octree, moments, reach, {}};
    for (const LeafLink& link : links)
        filler.fill(link.node, link.first_cell, link.end_cell);
    filler.fill_from(first);
}

} // namespace chamomile
