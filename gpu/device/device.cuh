/// \file  Owners of the device's resources. Every CUDA call of the project passes through check().
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "chamomile/core/error.hpp"
#include "chamomile/gpu/device/fault_plan.hpp"

namespace chamomile {

/// Throws OutOfDeviceMemory if an allocation failed, with the free memory in the message, else
/// Error(device). The message contains `tried`, CUDA's error, the host, the device and its UUID.
[[noreturn]] void fail_call(cudaError_t status, const char* tried);

/// Returns the faults requested by the environment.
FaultPlan& fault_plan();

/// Make faults in a stream that is never destroyed: occupy() keeps the device busy, trap() launches
/// a kernel that traps.
void occupy(double seconds);
void trap();

/// Waits for the work and returns success or its error. A wait longer than CHAMOMILE_GPU_TIMEOUT
/// (in seconds, default 600, Error(usage) if invalid) plus `allowance` is a hang. It returns
/// cudaErrorNotReady, and so do all later waits for the device, immediately.
cudaError_t status_when_done(cudaStream_t stream, double allowance = 0);
cudaError_t status_when_done(cudaEvent_t event, double allowance = 0);

/// Returns the seconds that sums over `pairs` pairs may take on the slowest GPUs.
inline double allowance_of_pairs(double pairs)
{
    return 1e-9 * pairs;
}

/// True if a wait for any device of this process has timed out. Calls that free memory or wait
/// would not return then, and must be avoided.
bool device_hangs();

/// Waits for the device before buffers are freed; an exception may have left work running.
inline void synchronize_device(int number)
{
    if (!device_hangs() && cudaSetDevice(number) == cudaSuccess)
        cudaDeviceSynchronize();
}

inline void free_device_memory(void* memory)
{
    if (memory && !device_hangs())
        cudaFree(memory);
}

inline void free_pinned_memory(void* memory)
{
    if (memory && !device_hangs())
        cudaFreeHost(memory);
}

/// Throws unless `status` is success. Most calls are asynchronous: the error may belong to an
/// earlier call.
inline void check(cudaError_t status, const char* tried)
{
    if (fault_plan().traps())
        trap();
    status = cudaError_t(fault_plan().answer(int(status), tried));
    if (status != cudaSuccess)
        fail_call(status, tried);
}

/// Returns the number of spare items for an array of n, so that slow growth rarely allocates: a
/// quarter, at most 64 MB.
template <class T>
std::size_t spare_items(std::size_t n)
{
    return std::min(n / 4, (std::size_t(1) << 26) / sizeof(T));
}

/// A DeviceBuffer is device memory that only grows.
template <class T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    DeviceBuffer(DeviceBuffer&& b) noexcept
        : data_(std::exchange(b.data_, nullptr)), capacity_(std::exchange(b.capacity_, 0))
    {}
    DeviceBuffer& operator=(DeviceBuffer&&) = delete;
    ~DeviceBuffer() { free_device_memory(data_); }

    /// Makes room for n items, and for spare items. The contents are lost on growth. Throws
    /// OutOfDeviceMemory.
    T* reserve(std::size_t n)
    {
        if (n > capacity_) {
            free_device_memory(std::exchange(data_, nullptr));
            capacity_ = 0;
            std::size_t wanted = n + spare_items<T>(n);
            try {
                allocate(wanted * sizeof(T));
            } catch (const OutOfDeviceMemory&) {
                wanted = n;
                allocate(wanted * sizeof(T));
            }
            capacity_ = wanted;
        }
        return data_;
    }
    /// Like reserve(), without spare room, for large arrays of fixed size.
    T* reserve_exactly(std::size_t n)
    {
        if (n > capacity_) {
            free_device_memory(std::exchange(data_, nullptr));
            capacity_ = 0;
            allocate(n * sizeof(T));
            capacity_ = n;
        }
        return data_;
    }
    /// Like reserve(), but keeps the first `kept` items. Growth copies them in the order of the
    /// stream, and waits for it.
    T* extend(std::size_t n, std::size_t kept, const cudaStream_t stream)
    {
        if (n <= capacity_)
            return data_;
        DeviceBuffer larger;
        larger.reserve(n);
        if (kept > 0)
            check(cudaMemcpyAsync(larger.data_, data_, kept * sizeof(T), cudaMemcpyDeviceToDevice,
                                  stream),
                  "copy within the device");
        check(status_when_done(stream), "wait for a copy within the device");
        swap(larger);
        return data_;
    }
    T* data() { return data_; }
    std::size_t capacity() const { return capacity_; } ///< items
    void swap(DeviceBuffer& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
    }

private:
    void allocate(std::size_t bytes)
    {
        try {
            check(cudaMalloc(&data_, bytes), "allocate device memory");
        } catch (...) { // also for injected faults
            free_device_memory(std::exchange(data_, nullptr));
            throw;
        }
    }

    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

/// A PinnedBuffer is page-locked host memory that only grows.
template <class T>
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;
    ~PinnedBuffer() { free_pinned_memory(data_); }

    T* reserve(std::size_t n)
    {
        if (n > capacity_) {
            free_pinned_memory(std::exchange(data_, nullptr));
            capacity_ = 0;
            const std::size_t wanted = n + n / 4;
            check(cudaMallocHost(&data_, wanted * sizeof(T)), "allocate page-locked memory");
            capacity_ = wanted;
        }
        return data_;
    }
    T* data() { return data_; }

private:
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

/// Page-locked memory for standard containers.
class PinnedMemory final : public std::pmr::memory_resource {
private:
    void* do_allocate(std::size_t bytes, std::size_t) override
    {
        void* memory = nullptr;
        check(cudaMallocHost(&memory, bytes), "allocate page-locked memory");
        return memory;
    }
    void do_deallocate(void* memory, std::size_t, std::size_t) override
    {
        free_pinned_memory(memory);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override
    {
        return this == &other;
    }
};

/// Resizes a vector with spare room; the contents may be lost.
template <class Vector>
void resize_with_room(Vector& vector, std::size_t n)
{
    if (n > vector.capacity()) {
        vector.clear();
        vector.reserve(n + n / 8);
    }
    vector.resize(n);
}

/// Blocks of kernels in streams of high priority start before others.
enum class Priority { normal = 0, high = -1 };

class Stream {
public:
    explicit Stream(Priority priority = Priority::normal)
    {
        check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, int(priority)),
              "make a stream");
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }
    /// Waits for the stream. `allowance`: seconds beyond the common timeout.
    void wait(double allowance = 0) const
    {
        check(status_when_done(stream_, allowance), "wait for a stream");
    }

private:
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    Event() { check(cudaEventCreate(&event_), "make an event"); }
    Event(Event&& e) noexcept : event_(std::exchange(e.event_, nullptr)) {}
    Event& operator=(Event&&) = delete;
    ~Event()
    {
        if (event_)
            cudaEventDestroy(event_);
    }
    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "record an event"); }
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

/// Copies n items from the host to a device buffer, in the order of the stream.
template <class T>
void upload(DeviceBuffer<T>& to, const T* from, std::size_t n, cudaStream_t stream)
{
    T* data = to.reserve(n);
    if (n > 0)
        check(cudaMemcpyAsync(data, from, n * sizeof(T), cudaMemcpyHostToDevice, stream),
              "copy to the device");
}

template <class T>
void download(T* to, const T* from, std::size_t n, cudaStream_t stream)
{
    if (n > 0)
        check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToHost, stream),
              "copy from the device");
}

} // namespace chamomile
