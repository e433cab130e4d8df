/// \file  Scratch memory of Thrust, kept between calls, and errors of Thrust.
#pragma once

#include <map>

#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// An allocator for thrust::cuda::par.
class CachingAllocator {
public:
    using value_type = char;
    CachingAllocator() = default;
    CachingAllocator(const CachingAllocator&) = delete;
    ~CachingAllocator()
    {
        for (auto& [size, memory] : idle_)
            free_device_memory(memory);
    }

    char* allocate(std::ptrdiff_t bytes)
    {
        const auto fits = idle_.lower_bound(bytes);
        if (fits != idle_.end()) {
            char* memory = fits->second;
            busy_[memory] = fits->first;
            idle_.erase(fits);
            return memory;
        }
        void* memory = nullptr;
        check(cudaMalloc(&memory, std::size_t(bytes)), "allocate device memory");
        busy_[static_cast<char*>(memory)] = bytes;
        return static_cast<char*>(memory);
    }

    void deallocate(char* memory, std::size_t)
    {
        const auto found = busy_.find(memory);
        idle_.emplace(found->second, memory);
        busy_.erase(found);
    }

private:
    std::multimap<std::ptrdiff_t, char*> idle_;
    std::map<char*, std::ptrdiff_t> busy_;
};

/// Calls Thrust and throws its CUDA errors as check() does.
template <class Call>
void call_thrust(const char* tried, const Call& call)
{
    cudaError_t status = cudaSuccess;
    try {
        call();
    } catch (const thrust::system_error& error) {
        status = cudaError_t(error.code().value());
    }
    check(status, tried);
}

} // namespace chamomile
