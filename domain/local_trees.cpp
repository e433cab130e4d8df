#include "chamomile/domain/local_trees.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/options/list_where.hpp"
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

/// Sends the values of all rows in sorted order, each run to its rank.
template <class T>
void Arrivals::send(std::span<const T> values, const KeyedRows& sorted,
                    std::span<const std::size_t> begins, std::pmr::vector<T>& leaving, Inbox& to,
                    Communicator& communicator)
{
    const std::size_t n = values.size();
    leaving.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k)
        leaving[k] = values[sorted.order[k]];
    std::vector<std::span<const T>> runs;
    for (std::size_t r = 0; r + 1 < begins.size(); ++r)
        runs.push_back(std::span<const T>(leaving).subspan(begins[r], begins[r + 1] - begins[r]));
    communicator.all_to_all<T>(runs, to);
}

std::size_t memory_of(const Octree& octree)
{
    return held_bytes(octree.cells, octree.boundaries.level, octree.boundaries.octants,
                      octree.boundaries.least, octree.order, octree.sources, octree.softening);
}

std::size_t memory_of(const Moments& moments)
{
    return held_bytes(moments.multipole, moments.bounds, moments.higher, moments.softening);
}

std::size_t LocalTrees::memory() const
{
    constexpr std::size_t of_sorter = sizeof(Key) + 14; // of a particle (RadixScratch)
    std::size_t bytes = memory_of(octree) + memory_of(moments) + held_bytes(roots, reach) +
                        octree.order.capacity() * of_sorter;
    for (const std::vector<Cell>& cells : scratch)
        bytes += held_bytes(cells);
    return bytes;
}

void Arrivals::receive(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                       const Domains& domains, Communicator& communicator)
{
    const std::vector<std::size_t> begins = begins_of_ranks(sorted, coarse, domains);
    send(rows.built.empty() ? rows.position : rows.built, sorted, begins, leaving_positions_,
         positions_, communicator);
    send(rows.mass, sorted, begins, leaving_masses_, masses_, communicator);
    if (rows.has_numbers)
        send(rows.number, sorted, begins, leaving_numbers_, numbers_, communicator);
    else
        numbers_ = {};
    has_softenings_ = rows.longest_softening.has_value();
    if (has_softenings_)
        send(rows.softening, sorted, begins, leaving_softenings_, softenings_, communicator);
}

void Arrivals::receive_moved(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                             const Domains& domains, Communicator& communicator)
{
    send(rows.position, sorted, begins_of_ranks(sorted, coarse, domains), leaving_positions_,
         positions_, communicator);
}

void Arrivals::receive_targets(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                               const Domains& domains, Communicator& communicator)
{
    has_targets_ = rows.has_targets;
    if (!has_targets_)
        return;
    send(rows.is_target, sorted, begins_of_ranks(sorted, coarse, domains), leaving_targets_,
         is_target_, communicator);
    const std::span<const char> of_arrivals = is_target();
    list_where(
        size(), [&](std::size_t i) { return of_arrivals[i]; }, targets_);
    list_where(
        rows.size(), [&](std::size_t k) { return leaving_targets_[k]; }, target_rows_);
    for (Index& row : target_rows_)
        row = sorted.order[row];
}

void make_local_trees(LocalTrees& trees, const Arrivals& arrivals, const RootCube& cube,
                      const TreePlan& plan, std::span<const Cell> leaves)
{
    Octree& octree = trees.octree;
    octree.size = arrivals.size();
    // Without numbers those of equal keys arrive in their order, which the sorting keeps.
    trees.sorter.sort(arrivals.position(), cube, octree.boundaries, octree.order,
                      arrivals.number());
    std::vector<std::vector<Cell>>& cells = trees.scratch;
    cells.resize(leaves.size());
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        std::vector<Cell> own = std::move(cells[leaf]); // apart from its neighbours' cache lines
        own.clear();
        append_cells(own, octree, leaves[leaf], arrivals.position(), plan.leaf_size,
                     arrivals.number());
        cells[leaf] = std::move(own);
    }
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

void gather_particles(LocalTrees& trees, const Arrivals& arrivals, const Rows& rows)
{
    gather_sources(trees.octree, arrivals.position(), arrivals.mass());
    TreeParticles particles;
    if (rows.longest_softening) {
        particles.softening = view_of(arrivals.softening());
        particles.longest_softening = *rows.longest_softening;
    }
    take_softenings(trees.octree, particles);
}

void sum_moments(LocalTrees& trees, int order)
{
    const std::size_t n = trees.octree.cells.size(), leaves = trees.roots.size() - 1;
    trees.moments.multipole.resize(n);
    trees.moments.bounds.resize(n);
    trees.moments.higher.resize(order > 2 ? n : 0);
    trees.moments.softening.resize(trees.octree.softening.empty() ? 0 : n);
#pragma omp parallel for if (n > worth_threads) schedule(dynamic, 1)
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
        compute_moments(trees.moments, trees.octree, order, trees.roots[leaf],
                        trees.roots[leaf + 1]);
}

void find_reaches(LocalTrees& trees, const TreeReach& reach)
{
    const std::size_t n = trees.octree.cells.size();
    trees.reach.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t c = 0; c < n; ++c)
        trees.reach[c] = reach.of(trees.moments, Index(c));
}

void share_moments(CoarseTree& coarse, const LocalTrees& trees, int order, bool varied,
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
    moments.softening.clear();
    if (varied)
        share(trees.moments.softening, moments.softening);
    for (Index c = Index(n); c-- > 0;)
        if (!coarse.octree.is_leaf(c))
            compute_moments(moments, coarse.octree, order, c, c + 1);
}

} // namespace chamomile
