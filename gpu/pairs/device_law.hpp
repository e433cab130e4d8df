/// \file  A law's kernels as the device's solver launches them, whoever compiled them.
#pragma once

#include <memory>

#include "chamomile/pairs/law_code.hpp"

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

    /// Returns the kernel for the device of that number, which is the current one. Throws
    /// Error(device).
    virtual Kernel kernel(int device, PairCut cut, bool double_precision) const = 0;
};

} // namespace chamomile
