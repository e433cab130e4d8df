/// \file  Scratch memory of Thrust, kept between calls, and errors of Thrust.
#pragma once

#include <map>
#include <set>

#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include "chamomile/gpu/device/phase_memory.cuh"

namespace chamomile {

/// An allocator for thrust::cuda::par.
class CachingAllocator {
public:
    using value_type = char;
    CachingAllocator() = default;
    CachingAllocator(const CachingAllocator&) = delete;
    virtual ~CachingAllocator()
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
        char* const memory = allocate_new(bytes);
        busy_[memory] = bytes;
        return memory;
    }

    void deallocate(char* memory, std::size_t)
    {
        const auto found = busy_.find(memory);
        if (found == busy_.end()) // a block that is no longer valid
            return;
        idle_.emplace(found->second, memory);
        busy_.erase(found);
    }

protected:
    virtual char* allocate_new(std::ptrdiff_t bytes)
    {
        void* memory = nullptr;
        check(cudaMalloc(&memory, std::size_t(bytes)), "allocate device memory");
        return static_cast<char*>(memory);
    }

    std::multimap<std::ptrdiff_t, char*> idle_;
    std::map<char*, std::ptrdiff_t> busy_;
};

/// A CachingAllocator whose large blocks come from a PhaseMemory, if they fit.
class PhaseAllocator final : public CachingAllocator, PhaseMemory::User {
public:
    explicit PhaseAllocator(PhaseMemory& memory) : User(memory) {}
    ~PhaseAllocator() override { invalidate(false); }

private:
    char* allocate_new(std::ptrdiff_t bytes) override
    {
        constexpr std::ptrdiff_t large = 1 << 20;
        if (bytes >= large)
            if (char* const block = reinterpret_cast<char*>(memory().block(std::size_t(bytes)))) {
                blocks_.insert(block);
                return block;
            }
        return CachingAllocator::allocate_new(bytes);
    }
    void invalidate(bool frees) override
    {
        std::erase_if(busy_, [&](const auto& entry) { return blocks_.contains(entry.first); });
        std::erase_if(idle_, [&](const auto& entry) {
            if (blocks_.contains(entry.second))
                return true;
            if (frees)
                free_device_memory(entry.second);
            return frees;
        });
        blocks_.clear();
    }

    std::set<char*> blocks_;
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
