/// \file  The Chamomile kernels of per-particle softening.
#pragma once

#include "chamomile/gpu/lists/chamomile.cuh"

namespace chamomile {

using SoftenedKernel = void (*)(SoftenedBatch);

/// The properties by which a kernel is chosen.
struct KernelChoice {
    SofteningKind kind;
    SofteningRule rule;
    bool with_potential;
    Precision precision;
    int order; ///< of the multipoles
};

SoftenedKernel find_varied_kernel(const KernelChoice& choice);
/// Returns the kernel for the short range in a periodic cube.
SoftenedKernel find_varied_short_range_kernel(const KernelChoice& choice);

/// Calls `kernel_of` with the constants of a choice: softening kind, rule, potential wanted, and a
/// number of the sums' type.
template <class KernelOf>
SoftenedKernel choose_kernel(const KernelChoice& choice, const KernelOf& kernel_of)
{
    const auto by_precision = [&]<SofteningKind kind, SofteningRule rule, bool potential>() {
        return choice.precision == Precision::double_precision
                   ? kernel_of.template operator()<kind, rule, potential>(double())
                   : kernel_of.template operator()<kind, rule, potential>(float());
    };
    const auto by_potential = [&]<SofteningKind kind, SofteningRule rule>() {
        return choice.with_potential ? by_precision.template operator()<kind, rule, true>()
                                     : by_precision.template operator()<kind, rule, false>();
    };
    const auto by_rule = [&]<SofteningKind kind>() {
        return choice.rule == SofteningRule::larger
                   ? by_potential.template operator()<kind, SofteningRule::larger>()
                   : by_potential.template operator()<kind, SofteningRule::root_of_squares>();
    };
    return choice.kind == SofteningKind::spline
               ? by_rule.template operator()<SofteningKind::spline>()
               : by_rule.template operator()<SofteningKind::plummer>();
}

} // namespace chamomile
