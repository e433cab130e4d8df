#include "tree/acceptance.hpp"

#include "core/threads.hpp"

namespace chamomile {

void make_walk_cells(std::vector<WalkCell>& walk, const Octree& octree, const Moments& moments,
                     const AcceptanceCriterion& criterion)
{
    walk.resize(octree.cells.size());
#pragma omp parallel for if (walk.size() > worth_threads)
    for (std::size_t c = 0; c < walk.size(); ++c) {
        const double radius = criterion.opening_radius(moments.multipole[c], moments.bounds[c]);
        walk[c] = {moments.multipole[c].center, radius * radius, octree.cells[c]};
    }
}

} // namespace chamomile
