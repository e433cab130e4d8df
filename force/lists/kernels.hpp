/// \file  The kernels of the instruction sets that this build holds.
#pragma once

#include <string>

#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile {

/// Returns the kernels of one of instruction_sets() or of "auto", the fastest. Throws Error(device)
/// if this processor or build lacks it.
HostKernels find_kernels(const std::string& instruction_set);

} // namespace chamomile
