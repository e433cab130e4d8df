/// \file  The kernels of the instruction sets that this build holds.
#pragma once

#include <string>

#include "force/evaluator.hpp"
#include "force/simd/host_kernel.hpp"

namespace chamomile {

/// Those of "auto", the fastest, or of one of instruction_sets(). Throws Error(device) if this
/// processor or build lacks it.
HostKernels find_kernels(const std::string& instruction_set);

} // namespace chamomile
