// Per pair of ShortRange with Plummer softening and float's polynomials: 3 subtractions, 6
// multiply-adds and products of the distance, 1 root, 3 products, 12 multiply-adds of the smooth
// part, a comparison and a choice, 3 multiply-adds = 28 issue slots. Contraction: fused.
#include "chamomile/gpu/lists/short_range.cuh"

namespace chamomile {
namespace {

template <SofteningKind softening, bool with_potential>
Kernel kernel_of(Precision precision)
{
    using Law = ShortRange<softening, with_potential>;
    return precision == Precision::double_precision ? chamomile<Law, double, 2>
                                                    : chamomile<Law, float, 2>;
}

template <SofteningKind softening>
Kernel kernel_of(bool with_potential, Precision precision)
{
    return with_potential ? kernel_of<softening, true>(precision)
                          : kernel_of<softening, false>(precision);
}

} // namespace

Kernel find_short_range_kernel(bool spline, bool with_potential, Precision precision)
{
    return spline ? kernel_of<SofteningKind::spline>(with_potential, precision)
                  : kernel_of<SofteningKind::plummer>(with_potential, precision);
}

} // namespace chamomile
