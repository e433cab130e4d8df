#include "chamomile/tree/domain/local_trees.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

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

std::size_t memory_of(const Octree& octree)
{
    return held_bytes(octree.cells, octree.boundaries.level, octree.boundaries.octants,
                      octree.boundaries.block_min, octree.order, octree.sources, octree.softening);
}

std::size_t memory_of(const Moments& moments)
{
    return held_bytes(moments.multipole, moments.bounds, moments.higher, moments.softening);
}

std::size_t LocalTrees::memory() const
{
    constexpr std::size_t of_sorter = sizeof(Key) + 14; // bytes per particle (RadixScratch)
    std::size_t bytes = memory_of(octree) + memory_of(moments) + held_bytes(roots, reach) +
                        octree.order.capacity() * of_sorter;
    for (const std::vector<Cell>& cells : scratch)
        bytes += held_bytes(cells);
    return bytes;
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

void make_local_trees(LocalTrees& trees, const ReceivedParticles& arrivals,
                      const KeySorter::SortedRun& sorted, const RootCube& cube, int leaf_size,
                      std::span<const Cell> leaves)
{
    Octree& octree = trees.octree;
    octree.size = arrivals.size();
    // Without numbers, particles with equal keys arrive in order, and sorting keeps this order.
    trees.sorter.sort_merged(sorted, arrivals.position(), cube, octree.boundaries, octree.order,
                             arrivals.number());
    std::vector<std::vector<Cell>>& cells = trees.scratch;
    cells.resize(leaves.size());
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        std::vector<Cell> own = std::move(cells[leaf]); // apart from its neighbors' cache lines
        own.clear();
        append_cells(own, octree, leaves[leaf], arrivals.position(), leaf_size, arrivals.number());
        cells[leaf] = std::move(own);
    }
    trees.roots = {0};
    for (const std::vector<Cell>& own : cells)
        trees.roots.push_back(trees.roots.back() + Index(own.size()));
    resize_discarding(octree.cells, trees.roots.back());
    std::size_t divided = 0;
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1) reduction(+ : divided)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        Index c = trees.roots[leaf];
        for (Cell cell : cells[leaf]) {
            cell.next += trees.roots[leaf];
            divided += cell.next > c + 1;
            octree.cells[c++] = cell;
        }
    }
    octree.divided = divided;
}

void gather_particles(LocalTrees& trees, const ReceivedParticles& arrivals, const Rows& rows)
{
    gather_sources(trees.octree, arrivals.position(), arrivals.mass());
    TreeParticles particles;
    if (rows.longest_softening) {
        particles.softening = view_of(arrivals.softening());
        particles.longest_softening = *rows.longest_softening;
    }
    set_softenings(trees.octree, particles);
}

void sum_moments(LocalTrees& trees, int order)
{
    const std::size_t n = trees.octree.cells.size(), leaves = trees.roots.size() - 1;
    resize_discarding(trees.moments.multipole, n);
    resize_discarding(trees.moments.bounds, n);
    resize_discarding(trees.moments.higher, order > 2 ? n : 0);
    resize_discarding(trees.moments.softening, trees.octree.softening.empty() ? 0 : n);
#pragma omp parallel for if (n > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
        compute_moments(trees.moments, trees.octree, order, trees.roots[leaf],
                        trees.roots[leaf + 1]);
}

void find_reaches(LocalTrees& trees, const TreeReach& reach)
{
    const std::size_t n = trees.octree.cells.size();
    resize_discarding(trees.reach, n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t c = 0; c < n; ++c)
        trees.reach[c] = reach.of(trees.moments, Index(c));
}

Moments moments_of_roots(const LocalTrees& trees)
{
    Moments roots;
    const auto pick = [&](const auto& from, auto& to) {
        for (std::size_t leaf = 0; !from.empty() && leaf + 1 < trees.roots.size(); ++leaf)
            to.push_back(from[trees.roots[leaf]]);
    };
    pick(trees.moments.multipole, roots.multipole);
    pick(trees.moments.higher, roots.higher);
    pick(trees.moments.softening, roots.softening);
    return roots;
}

} // namespace chamomile
