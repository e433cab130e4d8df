#include "tree/moments.hpp"

#include <omp.h>

#include "core/threads.hpp"
#include "tree/cell_moments.hpp"

namespace chamomile {
namespace {

/// All cells of the range, which must hold whole subtrees, daughters before mothers.
void sum_cells(Moments& moments, const Octree& octree, Index begin, Index end)
{
    for (Index c = end; c-- > begin;) {
        const Cell& cell = octree.cells[c];
        if (octree.is_leaf(c))
            sum_leaf(octree.sources.data() + cell.begin, cell.count, moments.multipole[c],
                     moments.bounds[c]);
        else
            sum_daughters(octree.cells.data(), c, moments.multipole.data(), moments.bounds.data());
    }
}

} // namespace

void compute_moments(Moments& moments, const Octree& octree)
{
    const std::size_t n = octree.cells.size();
    moments.multipole.resize(n);
    moments.bounds.resize(n);
    if (n == 0)
        return;
    // Whole subtrees go to the threads; what lies above them follows, mothers last.
    const Index most =
        std::max<Index>(1024, octree.cells[0].count / Index(8 * omp_get_max_threads()));
    std::vector<Index> subtrees, top;
    for (Index cell = 0; cell < n;) {
        const bool small = octree.cells[cell].count <= most || octree.is_leaf(cell);
        (small ? subtrees : top).push_back(cell);
        cell = small ? octree.cells[cell].next : cell + 1;
    }
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t s = 0; s < subtrees.size(); ++s)
        sum_cells(moments, octree, subtrees[s], octree.cells[subtrees[s]].next);
    for (std::size_t t = top.size(); t-- > 0;)
        sum_cells(moments, octree, top[t], top[t] + 1);
}

} // namespace chamomile
