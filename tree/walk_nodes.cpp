#include "chamomile/tree/walk_nodes.hpp"

#include <cassert>

#include "chamomile/core/threads.hpp"
#include "chamomile/tree/own_softenings.hpp"

namespace chamomile {
namespace {

constexpr std::size_t block = 4096; // cells that a thread numbers at a time

/// Finds the node of each cell with daughters; no_node for leaves. Returns the number of nodes.
std::size_t number_nodes(std::pmr::vector<Index>& node_of, const Octree& octree)
{
    const std::size_t n = octree.cells.size(), blocks = (n + block - 1) / block;
    node_of.resize(n);
    std::vector<Index> first(blocks + 1);
    first[0] = 1; // after the root's node
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t c = b * block; c < std::min(n, (b + 1) * block); ++c)
            first[b + 1] += !octree.is_leaf(Index(c));
    for (std::size_t b = 0; b < blocks; ++b)
        first[b + 1] += first[b];
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t b = 0; b < blocks; ++b) {
        Index next = first[b];
        for (std::size_t c = b * block; c < std::min(n, (b + 1) * block); ++c)
            node_of[c] = octree.is_leaf(Index(c)) ? no_node : next++;
    }
    return first[blocks];
}

} // namespace

void make_walk_nodes(WalkNodes& walk_nodes, const Octree& octree, const Moments& moments,
                     const AcceptanceCriterion& criterion, std::span<const OpeningRadius> known)
{
    const std::size_t n = octree.cells.size();
    std::pmr::vector<Index>& node_of = walk_nodes.node_of;
    walk_nodes.nodes.resize(number_nodes(node_of, octree));
    assert(n == 0 || walk_nodes.nodes.size() == octree.divided + 1); // one above the root
    walk_nodes.units = {};
    if (n == 0)
        return;
    assert(known.empty() || known.size() == n);
    const TreeReach reach(criterion, moments);
    const WalkUnits units = reach.units();
    walk_nodes.units = units;
    const auto fill = [&](WalkNode& node, Index begin, Index end) {
        int lane = 0;
        node = {};
        for (Index c = begin; c < end; c = octree.cells[c].next, ++lane) {
            fill_lane(node, lane, c, node_of[c], moments.multipole[c],
                      known.empty() ? reach.of(moments, c) : known[c], units);
            node.inner |= Index(node_of[c] != no_node) << lane;
        }
        assert(lane <= 8);
        node.lanes = (Index(1) << lane) - 1;
    };
    fill(walk_nodes.nodes[0], 0, Index(n));
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t c = 0; c < n; ++c)
        if (node_of[c] != no_node)
            fill(walk_nodes.nodes[node_of[c]], Index(c) + 1, octree.cells[c].next);
}

} // namespace chamomile
