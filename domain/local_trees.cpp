#include "chamomile/domain/local_trees.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/threads.hpp"

namespace chamomile {

std::size_t memory_of(const Octree& octree)
{
    return held_bytes(octree.cells, octree.boundaries.level, octree.boundaries.octants,
                      octree.boundaries.least, octree.order, octree.sources);
}

std::size_t memory_of(const Moments& moments)
{
    return held_bytes(moments.multipole, moments.bounds, moments.higher);
}

std::size_t LocalTrees::memory() const
{
    constexpr std::size_t of_sorter = sizeof(Key) + 14; // of a particle (RadixScratch)
    std::size_t bytes = memory_of(octree) + memory_of(moments) + held_bytes(roots) +
                        octree.order.capacity() * of_sorter;
    for (const std::vector<Cell>& cells : scratch)
        bytes += held_bytes(cells);
    return bytes;
}

void Arrivals::receive(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                       const Domains& domains, Communicator& communicator)
{
    const std::size_t n = rows.size(), ranks = std::size_t(communicator.size());
    leaving_positions_.resize(n);
    leaving_masses_.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) {
        leaving_positions_[k] = rows.position[sorted.order[k]];
        leaving_masses_[k] = rows.mass[sorted.order[k]];
    }
    const std::vector<std::size_t> begins = coarse.begins(sorted);
    std::vector<std::span<const Vec3<double>>> positions;
    std::vector<std::span<const double>> masses;
    for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t begin = begins[domains.first_leaf[r]],
                          count = begins[domains.first_leaf[r + 1]] - begin;
        positions.push_back(std::span(leaving_positions_).subspan(begin, count));
        masses.push_back(std::span(leaving_masses_).subspan(begin, count));
    }
    communicator.all_to_all<Vec3<double>>(positions, positions_);
    communicator.all_to_all<double>(masses, masses_);
}

void make_local_trees(LocalTrees& trees, const Arrivals& arrivals, const RootCube& cube,
                      const TreePlan& plan, std::span<const Cell> leaves)
{
    Octree& octree = trees.octree;
    octree.size = arrivals.size();
    // Those of equal keys arrive in the order of ranks and rows, which the sorting keeps.
    trees.sorter.sort(arrivals.position(), cube, octree.boundaries, octree.order);
    std::vector<std::vector<Cell>>& cells = trees.scratch;
    cells.resize(leaves.size());
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        std::vector<Cell> own = std::move(cells[leaf]); // apart from its neighbours' cache lines
        own.clear();
        append_cells(own, octree, leaves[leaf], arrivals.position(), plan.leaf_size);
        cells[leaf] = std::move(own);
    }
    gather_sources(octree, arrivals.position(), arrivals.mass());
    trees.roots = {0};
    for (const std::vector<Cell>& own : cells)
        trees.roots.push_back(trees.roots.back() + Index(own.size()));
    octree.cells.resize(trees.roots.back());
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

void sum_moments(LocalTrees& trees, int order)
{
    const std::size_t n = trees.octree.cells.size(), leaves = trees.roots.size() - 1;
    trees.moments.multipole.resize(n);
    trees.moments.bounds.resize(n);
    trees.moments.higher.resize(order > 2 ? n : 0);
#pragma omp parallel for if (n > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
        compute_moments(trees.moments, trees.octree, order, trees.roots[leaf],
                        trees.roots[leaf + 1]);
}

void share_moments(CoarseTree& coarse, const LocalTrees& trees, int order,
                   Communicator& communicator)
{
    Moments& moments = coarse.moments;
    const std::size_t n = coarse.octree.cells.size();
    const auto share = [&](const auto& local, auto& to) {
        using Value = typename std::decay_t<decltype(to)>::value_type;
        std::vector<Value> roots;
        for (std::size_t leaf = 0; leaf + 1 < trees.roots.size(); ++leaf)
            roots.push_back(local[trees.roots[leaf]]);
        const std::vector<Value> all = communicator.all_gather(std::span<const Value>(roots));
        assert(all.size() == coarse.leaves.size()); // ranks have leaves in the order of the tree
        to.resize(n);
        for (std::size_t leaf = 0; leaf < all.size(); ++leaf)
            to[coarse.leaves[leaf]] = all[leaf];
    };
    share(trees.moments.multipole, moments.multipole);
    if (order > 2)
        share(trees.moments.higher, moments.higher);
    for (Index c = Index(n); c-- > 0;)
        if (!coarse.octree.is_leaf(c))
            compute_moments(moments, coarse.octree, order, c, c + 1);
}

} // namespace chamomile
