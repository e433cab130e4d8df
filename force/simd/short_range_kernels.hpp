/// \file  The kernels of ShortRange, which have a source of their own.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// By softening kind, potential wanted, double precision.
HostKernel short_range_kernel(bool spline, bool with_potential, bool precise);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
