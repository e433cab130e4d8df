/// \file  Kernels for laws other than Gravity, one source file per law.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Members of HostKernels with equal names.
HostKernel short_range_kernel(bool spline, bool with_potential, bool precise);
HostKernel varied_kernel(SofteningRule rule, bool spline, bool with_potential, bool precise);
HostKernel varied_short_range_kernel(SofteningRule rule, bool spline, bool with_potential,
                                     bool precise);
DoubleKernel periodic_kernel(bool varied, bool spline, bool with_potential);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
