/// \file  Memory of a thread, kept between groups.
#pragma once

#include <cstddef>

#include "chamomile/core/host_device.hpp"

namespace chamomile {

class KernelScratch {
public:
    KernelScratch() = default;
    KernelScratch(KernelScratch&& other) noexcept : data_(other.data_), capacity_(other.capacity_)
    {
        other.data_ = nullptr;
        other.capacity_ = 0;
    }
    KernelScratch& operator=(KernelScratch&&) = delete;
    ~KernelScratch() { delete[] data_; }

    /// Returns room for this number of doubles. A larger number than before loses the old values.
    CHAMOMILE_HD double* reserve(std::size_t doubles)
    {
        if (capacity_ < doubles) {
            delete[] data_;
            data_ = nullptr;
            capacity_ = 0;
            data_ = new double[doubles];
            capacity_ = doubles;
        }
        return data_;
    }

private:
    double* data_ = nullptr;
    std::size_t capacity_ = 0;
};

} // namespace chamomile
