/// \file  The Chamomile kernels of gravity's short range in a periodic cube.
#pragma once

#include "chamomile/gpu/lists/chamomile.cuh"

namespace chamomile {

using Kernel = void (*)(DeviceBatch);

Kernel find_short_range_kernel(bool spline, bool with_potential, Precision precision);

} // namespace chamomile
