/// \file  Kernels of a pair law for the device's solver, from any compiler.
#pragma once

#include <memory>

#include "chamomile/force/pairs/law_code.hpp"

namespace chamomile {

enum class PairCut;

class DeviceLaw {
public:
    struct Kernel {
        const void* function = nullptr; ///< for cudaLaunchKernel, of (PairJob, law); null: none
        int per_lane = 0, warps = 0;    ///< its TileShape
        unsigned shared_bytes = 0;
    };

    virtual ~DeviceLaw() = default;

    /// Returns the kernel for this device, which must be current. Throws Error(device).
    virtual Kernel kernel(int device, PairCut cut, bool double_precision) const = 0;
};

} // namespace chamomile
