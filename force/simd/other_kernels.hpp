/// \file  The kernels of other laws than Gravity, each of which has a source of its own.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// HostKernels has these under the same names.
HostKernel short_range_kernel(bool spline, bool with_potential, bool precise);
HostKernel varied_kernel(SofteningRule rule, bool spline, bool with_potential, bool precise);
HostKernel varied_short_range_kernel(SofteningRule rule, bool spline, bool with_potential,
                                     bool precise);
PreciseKernel periodic_kernel(bool varied, bool spline, bool with_potential);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
