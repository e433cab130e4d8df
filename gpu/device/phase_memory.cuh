/// \file  Device memory of two phases of an evaluation: arrays of particles, then a mesh.
#pragma once

#include <cstddef>
#include <vector>

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// A PhaseMemory is device memory with two uses in each evaluation: first blocks for arrays that
/// are needed until the tree is built, then a mesh. Arrays that do not fit allocate separately.
class PhaseMemory {
public:
    /// A User holds blocks.
    class User {
    public:
        explicit User(PhaseMemory& memory) : memory_(memory) { memory_.users_.push_back(this); }
        User(const User&) = delete;
        virtual ~User() { std::erase(memory_.users_, this); }

    protected:
        PhaseMemory& memory() { return memory_; }

    private:
        friend class PhaseMemory;
        /// Forgets all blocks. If `frees`, also frees separate memory.
        virtual void invalidate(bool frees) = 0;

        PhaseMemory& memory_;
    };

    PhaseMemory() = default;
    PhaseMemory(const PhaseMemory&) = delete;

    /// Begins an evaluation: invalidates the mesh and all blocks. `stream` waits for work that was
    /// recorded in mesh_made().
    void begin(cudaStream_t stream)
    {
        check(cudaStreamWaitEvent(stream, mesh_made_), "wait for the mesh");
        invalidate(false);
        used_ = 0;
        has_blocks_ = true;
    }
    /// Returns a block that is valid until the next begin() or acquire(), or null if it does not
    /// fit.
    std::byte* block(std::size_t bytes)
    {
        constexpr std::size_t alignment = 256;
        const std::size_t first = used_,
                          end = first + (bytes + alignment - 1) / alignment * alignment;
        if (!has_blocks_ || end > memory_.capacity())
            return nullptr;
        used_ = end;
        return memory_.data() + first;
    }
    /// Returns all memory, at least `bytes`, for the mesh until the next begin(). Arrays lose their
    /// contents, and their separate memory if this memory grows.
    std::byte* acquire(std::size_t bytes)
    {
        has_blocks_ = false;
        invalidate(bytes > memory_.capacity());
        return memory_.reserve(bytes);
    }
    /// Returns the event to record when the mesh is complete.
    Event& mesh_made() { return mesh_made_; }
    /// Replaces the memory of an earlier mesh by `bytes`, between evaluations.
    void resize(std::size_t bytes)
    {
        has_blocks_ = false;
        invalidate(true);
        DeviceBuffer<std::byte>().swap(memory_);
        memory_.reserve_exactly(bytes);
    }

private:
    void invalidate(bool frees)
    {
        for (User* const user : users_)
            user->invalidate(frees);
    }

    std::vector<User*> users_;
    DeviceBuffer<std::byte> memory_;
    Event mesh_made_;
    std::size_t used_ = 0;
    bool has_blocks_ = false; ///< in the first phase
};

/// A PhaseArray is a DeviceBuffer in a PhaseMemory: it loses its contents when an evaluation begins
/// and when the mesh acquires the memory.
template <class T>
class PhaseArray final : PhaseMemory::User {
public:
    explicit PhaseArray(PhaseMemory& memory) : User(memory) {}

    T* reserve(std::size_t n)
    {
        if (n <= capacity_)
            return data_;
        largest_ = std::max(largest_, n + spare_items<T>(n));
        if (std::byte* const block = memory().block(largest_ * sizeof(T))) {
            data_ = reinterpret_cast<T*>(block);
            capacity_ = largest_;
        } else {
            capacity_ = 0;
            data_ = separate_.reserve(n);
            capacity_ = separate_.capacity();
        }
        return data_;
    }
    /// Like DeviceBuffer::extend().
    T* extend(std::size_t n, std::size_t kept, const cudaStream_t stream)
    {
        if (n <= capacity_)
            return data_;
        DeviceBuffer<T> former;
        former.swap(separate_);
        const T* const from = data_;
        reserve(n);
        if (kept > 0)
            check(cudaMemcpyAsync(data_, from, kept * sizeof(T), cudaMemcpyDeviceToDevice, stream),
                  "copy within the device");
        check(status_when_done(stream), "wait for a copy within the device");
        return data_;
    }
    T* data() { return data_; }

private:
    void invalidate(bool frees) override
    {
        if (frees)
            DeviceBuffer<T>().swap(separate_);
        data_ = separate_.data();
        capacity_ = separate_.capacity();
    }

    T* data_ = nullptr; ///< in a block or in separate_
    std::size_t capacity_ = 0, largest_ = 0;
    DeviceBuffer<T> separate_;
};

} // namespace chamomile
