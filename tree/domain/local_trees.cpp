#include "chamomile/tree/domain/local_trees.hpp"

#include <algorithm>
#include <utility>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

std::vector<std::size_t> begins_of_ranks(const KeyedRows& sorted, const CoarseTree& coarse,
                                         const Domains& domains)
{
    const std::vector<std::size_t> begins = coarse.begins(sorted);
    std::vector<std::size_t> of_ranks;
    for (const std::size_t leaf : domains.first_leaf)
        of_ranks.push_back(begins[leaf]);
    return of_ranks;
}

void ReceivedParticles::receive(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                                const Domains& domains, Communicator& communicator)
{
    has_softenings_ = rows.longest_softening.has_value();
    has_targets_ = rows.has_targets;
    const auto column = [&]<class T>(std::span<const T> values, auto& into, bool is_used = true) {
        return GatherColumn{values, std::span<const Index>(sorted.order), into, is_used};
    };
    first_ = exchange_columns(begins_of_ranks(sorted, coarse, domains), communicator, memory_,
                              column(rows.built, position_), column(rows.mass, mass_),
                              column(rows.softening, softening_, has_softenings_),
                              column(rows.number, number_, rows.has_numbers),
                              column(rows.is_target, is_target_, has_targets_));
    find_targets(rows, sorted);
}

void ReceivedParticles::receive_moved(const Rows& rows, const KeyedRows& sorted,
                                      const CoarseTree& coarse, const Domains& domains,
                                      Communicator& communicator)
{
    has_targets_ = rows.has_targets;
    const std::span<const Index> order = sorted.order;
    exchange_columns(begins_of_ranks(sorted, coarse, domains), communicator, memory_,
                     GatherColumn{rows.position, order, position_},
                     GatherColumn{rows.is_target, order, is_target_, has_targets_});
    find_targets(rows, sorted);
}

/// Lists the targets among the arrivals and among the rows.
void ReceivedParticles::find_targets(const Rows& rows, const KeyedRows& sorted)
{
    if (!has_targets_)
        return;
    list_where(
        size(), [&](std::size_t i) { return is_target_[i]; }, targets_);
    list_where(
        rows.size(), [&](std::size_t k) { return rows.is_target[sorted.order[k]]; }, target_rows_);
    for (Index& row : target_rows_)
        row = sorted.order[row];
}

OwnCells make_local_trees(Octree& octree, TopOfTree& top, KeySorter& sorter,
                          const ReceivedParticles& arrivals, const KeySorter::SortedRun& sorted,
                          const RootCube& cube, int leaf_size, const DistributedTree& distributed)
{
    const std::vector<Cell> leaves = distributed.own_leaves();
    octree.size = arrivals.size();
    // Without numbers, particles with equal keys arrive in order, and sorting keeps this order.
    sorter.sort_merged(sorted, arrivals.position(), cube, octree.boundaries, octree.order,
                       arrivals.number());
    std::vector<std::vector<Cell>>& cells = octree.scratch;
    if (cells.size() < leaves.size())
        cells.resize(leaves.size());
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        std::vector<Cell> own = std::move(cells[leaf]); // apart from its neighbors' cache lines
        own.clear();
        append_cells(own, octree, leaves[leaf], arrivals.position(), leaf_size, arrivals.number());
        cells[leaf] = std::move(own);
    }
    std::vector<Index> before{0};
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
        before.push_back(before.back() + Index(cells[leaf].size()));
    top.number(distributed, before, before.back());
    const std::size_t n = before.back() + top.tops().size();
    resize_discarding(octree.cells, n);
    std::size_t divided = top.divided();
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1) reduction(+ : divided)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        const Index root = top.own_roots()[leaf];
        Index c = root;
        for (Cell cell : cells[leaf]) {
            cell.next += root;
            divided += cell.next > c + 1;
            octree.cells[c++] = cell;
        }
    }
    top.plant_cells(octree);
    octree.divided = divided;
    return {Index(n),
            Index(divided + 1),
            Index(octree.size),
            {top.own_roots().begin(), top.own_roots().end()},
            distributed.first_leaf()};
}

void sum_moments(Tree& tree, const ReceivedParticles& arrivals, const Rows& rows, int order,
                 std::span<const Index> roots)
{
    Octree& octree = tree.octree;
    Moments& moments = tree.moments;
    const std::size_t n = octree.cells.size();
    resize_discarding(octree.sources, arrivals.size());
    TreeParticles particles;
    if (rows.longest_softening) {
        particles.softening = view_of(arrivals.softening());
        particles.longest_softening = *rows.longest_softening;
    }
    set_softenings(octree, particles);
    resize_discarding(moments.multipole, n);
    resize_discarding(moments.bounds, n);
    resize_discarding(moments.higher, order > 2 ? n : 0);
    resize_discarding(moments.softening, rows.longest_softening ? n : 0);
#pragma omp parallel for if (n > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < roots.size(); ++leaf) {
        const Cell& root = octree.cells[roots[leaf]];
        for (Index k = root.begin; k < root.begin + root.count; ++k)
            octree.sources[k] = {arrivals.position()[octree.order[k]],
                                 arrivals.mass()[octree.order[k]]};
        compute_moments(moments, octree, order, roots[leaf], root.next);
    }
}

Moments moments_of_roots(const Moments& moments, std::span<const Index> roots)
{
    Moments some;
    const auto pick = [&](const auto& from, auto& to) {
        for (std::size_t leaf = 0; !from.empty() && leaf < roots.size(); ++leaf)
            to.push_back(from[roots[leaf]]);
    };
    pick(moments.multipole, some.multipole);
    pick(moments.higher, some.higher);
    pick(moments.softening, some.softening);
    return some;
}

} // namespace chamomile
