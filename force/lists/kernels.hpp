/// \file  Kernels for the instruction sets in this build.
#pragma once

#include <string>

#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile {

/// Returns the kernels for a name in instruction_sets() or for "auto", the fastest. Throws
/// Error(device) if this CPU or build lacks it.
HostKernels find_kernels(const std::string& instruction_set);

} // namespace chamomile
