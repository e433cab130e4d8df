#include "chamomile/tree/domain/domain_part.hpp"

namespace chamomile {

std::vector<Cell> DistributedTree::own_leaves() const
{
    std::vector<Cell> leaves;
    Index begin = 0;
    for (std::size_t leaf = first_leaf(); leaf < end_leaf(); ++leaf) {
        const Index count = Index(coarse.particles_of(leaf));
        leaves.push_back({begin, count, 0, coarse.leaf(leaf).octant});
        begin += count;
    }
    return leaves;
}

void estimate_on_host(const Walk& walk, const TargetGroups& groups, std::span<double> accelerations)
{
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t c = 0; c < accelerations.size(); ++c)
        accelerations[c] = walk.scaled_acceleration(groups.clusters[c]);
}

} // namespace chamomile
