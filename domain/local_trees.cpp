#include "chamomile/domain/local_trees.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/threads.hpp"

namespace chamomile {

Arrivals send_rows(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                   const Domains& domains, Communicator& communicator)
{
    const std::size_t n = rows.size(), ranks = std::size_t(communicator.size());
    std::vector<Source> sources(n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t k = 0; k < n; ++k)
        sources[k] = {rows.position[sorted.order[k]], rows.mass[sorted.order[k]]};
    const std::vector<std::size_t> begins = coarse.begins(sorted);
    std::vector<std::span<const Source>> to;
    for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t begin = begins[domains.first_leaf[r]],
                          end = begins[domains.first_leaf[r + 1]];
        to.push_back(std::span(sources).subspan(begin, end - begin));
    }
    const std::vector<Parcel> parcels = communicator.all_to_all<Source>(to);
    Arrivals arrivals;
    arrivals.from = {0};
    for (const Parcel& parcel : parcels)
        arrivals.from.push_back(arrivals.from.back() + parcel.as<Source>().size());
    arrivals.position.resize(arrivals.from.back());
    arrivals.mass.resize(arrivals.from.back());
    for (std::size_t r = 0; r < ranks; ++r) {
        const auto from = parcels[r].as<Source>();
#pragma omp parallel for if (from.size() > worth_threads)
        for (std::size_t k = 0; k < from.size(); ++k) {
            arrivals.position[arrivals.from[r] + k] = from[k].position;
            arrivals.mass[arrivals.from[r] + k] = from[k].mass;
        }
    }
    return arrivals;
}

void make_local_trees(LocalTrees& trees, const Arrivals& arrivals, const RootCube& cube,
                      const TreePlan& plan, std::span<const Cell> leaves)
{
    Octree& octree = trees.octree;
    octree.size = arrivals.position.size();
    // Those of equal keys arrive in the order of ranks and rows, which the sorting keeps.
    KeySorter sorter;
    sorter.sort(arrivals.position, cube, octree.boundaries, octree.order);
    std::vector<std::vector<Cell>> cells(leaves.size());
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        std::vector<Cell> own; // built apart from its neighbours, which share a cache line
        append_cells(own, octree, leaves[leaf], arrivals.position, plan.leaf_size);
        cells[leaf] = std::move(own);
    }
    gather_sources(octree, arrivals.position, arrivals.mass);
    octree.cells.clear();
    octree.divided = 0;
    trees.roots.clear();
    for (const std::vector<Cell>& own : cells) {
        const Index root = Index(octree.cells.size());
        trees.roots.push_back(root);
        for (Cell cell : own) {
            cell.next += root;
            octree.divided += cell.next > Index(octree.cells.size()) + 1;
            octree.cells.push_back(cell);
        }
    }
    trees.roots.push_back(Index(octree.cells.size()));
    const int order = plan.criterion->order;
    const std::size_t n = octree.cells.size();
    trees.moments.multipole.resize(n);
    trees.moments.bounds.resize(n);
    trees.moments.higher.resize(order > 2 ? n : 0);
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
        compute_moments(trees.moments, octree, order, trees.roots[leaf], trees.roots[leaf + 1]);
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
