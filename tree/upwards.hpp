/// \file  A pass over the cells of an octree from the leaves up.
#pragma once

#include <algorithm>
#include <vector>

#include <omp.h>

#include "chamomile/core/threads.hpp"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// Calls work(begin, end) for ranges that together hold all cells once. When a range begins, the
/// cells below it are done; within it, `work` goes from the last cell to the first. Threads work on
/// whole subtrees; the cells above follow.
template <class Work>
void pass_upwards(const Octree& octree, const Work& work)
{
    const std::size_t n = octree.cells.size();
    if (n == 0)
        return;
    const Index max =
        std::max<Index>(1024, octree.cells[0].count / Index(8 * omp_get_max_threads()));
    std::vector<Index> subtrees, top;
    for (Index cell = 0; cell < n;) {
        const bool small = octree.cells[cell].count <= max || octree.is_leaf(cell);
        (small ? subtrees : top).push_back(cell);
        cell = small ? octree.cells[cell].next : cell + 1;
    }
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t s = 0; s < subtrees.size(); ++s)
        work(subtrees[s], octree.cells[subtrees[s]].next);
    for (std::size_t t = top.size(); t-- > 0;)
        work(top[t], top[t] + 1);
}

} // namespace chamomile
