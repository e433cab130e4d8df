#include "chamomile/tree/moments.hpp"

#include <cassert>

#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/tree/cell_moments.hpp"
#include "chamomile/tree/higher_moments.hpp"
#include "chamomile/tree/upwards.hpp"

namespace chamomile {
namespace {

/// Sums the moments of degrees 3 to `order` of a cell with known multipole.
template <int order>
void sum_higher(Moments& moments, const Octree& octree, Index c)
{
    const Cell& cell = octree.cells[c];
    if (octree.is_leaf(c))
        HigherSums<order>::sum_leaf(octree.sources.data() + cell.begin, cell.count,
                                    moments.multipole[c], moments.bounds[c], moments.higher[c]);
    else
        HigherSums<order>::sum_daughters(octree.cells.data(), c, moments.multipole.data(),
                                         moments.bounds.data(), moments.higher.data());
}

} // namespace

void compute_moments(Moments& moments, const Octree& octree, int order, Index begin, Index end)
{
    assert(begin < end && end <= octree.cells.size());
    for (Index c = end; c-- > begin;) {
        const Cell& cell = octree.cells[c];
        if (octree.is_leaf(c))
            sum_leaf(octree.sources.data() + cell.begin, cell.count, moments.multipole[c],
                     moments.bounds[c]);
        else
            sum_daughters(octree.cells.data(), c, moments.multipole.data(), moments.bounds.data());
        if (!moments.softening.empty())
            SofteningSums{octree.cells.data(), octree.sources.data(), octree.softening.data(),
                          moments.multipole.data(), moments.softening.data()}
                .sum(c);
        if (order == 3)
            sum_higher<3>(moments, octree, c);
        else if (order == 4)
            sum_higher<4>(moments, octree, c);
    }
}

void compute_moments(Moments& moments, const Octree& octree, int order)
{
    const std::size_t n = octree.cells.size();
    resize_discarding(moments.multipole, n);
    resize_discarding(moments.bounds, n);
    resize_discarding(moments.higher, order > 2 ? n : 0);
    resize_discarding(moments.softening, octree.softening.empty() ? 0 : n);
    if (n == 0)
        return;
    pass_upwards(octree, [&](Index begin, Index end) {
        compute_moments(moments, octree, order, begin, end);
    });
    // Non-finite values pass here; callers refuse them and name the particle.
    assert(!(moments.multipole[0].mass < 0) && !(moments.bounds[0].longest_side() < 0));
}

} // namespace chamomile
