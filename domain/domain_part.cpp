#include "chamomile/domain/domain_part.hpp"

namespace chamomile {

std::vector<Cell> DealtTree::own_leaves() const
{
    std::vector<Cell> leaves;
    Index begin = 0;
    for (std::size_t leaf = first_leaf(); leaf < end_leaf(); ++leaf) {
        const Cell& cell = coarse.leaf(leaf);
        leaves.push_back({begin, cell.count, 0, cell.octant});
        begin += cell.count;
    }
    return leaves;
}

void find_factors_on_host(const Walk& walk, const TargetGroups& groups, double part,
                          std::span<double> factors)
{
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t c = 0; c < factors.size(); ++c)
        factors[c] = walk.relative_factor(groups.clusters[c], part);
}

} // namespace chamomile
