/// \file  The kernels of other laws than Gravity, each of which has a source of its own.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// By softening kind, potential wanted, double precision.
HostKernel short_range_kernel(bool spline, bool with_potential, bool precise);
/// Likewise of particles with softening lengths of their own.
HostKernel varied_kernel(bool spline, bool with_potential, bool precise);
HostKernel varied_short_range_kernel(bool spline, bool with_potential, bool precise);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
