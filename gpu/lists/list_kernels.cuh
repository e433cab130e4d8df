/// \file  Chooses the Chamomile kernel of an evaluation.
#pragma once

#include "chamomile/gpu/lists/short_range.cuh"
#include "chamomile/gpu/lists/varied_kernels.cuh"

namespace chamomile {
namespace {

template <SofteningKind softening, bool with_potential, class T>
Kernel kernel_of(int order)
{
    using Law = Gravity<softening, with_potential>;
    return order <= 2   ? chamomile<Law, T, 2>
           : order == 3 ? chamomile<Law, T, 3>
                        : chamomile<Law, T, 4>;
}

template <SofteningKind softening>
Kernel kernel_of(const EvaluationInput& input, Precision precision)
{
    const bool potential = input.quantities == Quantities::acceleration_potential;
    if (precision == Precision::double_precision)
        return potential ? kernel_of<softening, true, double>(input.order)
                         : kernel_of<softening, false, double>(input.order);
    return potential ? kernel_of<softening, true, float>(input.order)
                     : kernel_of<softening, false, float>(input.order);
}

Kernel find_kernel(const EvaluationInput& input, Precision precision)
{
    // Without softening, spline and Plummer are both Newton's law.
    const bool spline = input.softening.kind == SofteningKind::spline && input.softening.length > 0;
    if (input.form)
        return find_short_range_kernel(
            spline, input.quantities == Quantities::acceleration_potential, precision);
    return spline ? kernel_of<SofteningKind::spline>(input, precision)
                  : kernel_of<SofteningKind::plummer>(input, precision);
}

SoftenedKernel find_softened_kernel(const EvaluationInput& input, Precision precision)
{
    const KernelChoice choice{input.softening.kind, input.softening.rule,
                              input.quantities == Quantities::acceleration_potential, precision,
                              input.order};
    return input.form ? find_varied_short_range_kernel(choice) : find_varied_kernel(choice);
}

} // namespace
} // namespace chamomile
