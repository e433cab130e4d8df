/// \file  When kernels ran: how long the GPU was busy, and from the first kernel to the last.
///
/// Blocks note the time themselves, because two events per batch from many threads at once hold up
/// the driver more than the sums that they time: 16 threads share one lock there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// KernelTimes holds start and end of the kernels of one batch, in nanoseconds of the device's
/// clock.
struct KernelTimes {
    unsigned long long start, stop;

    static __device__ unsigned long long now()
    {
        unsigned long long time;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
        return time;
    }

    /// One thread of each block of the first kernel has to call this.
    __device__ void begin() { atomicMin(&start, now()); }
    /// One thread of each block of the last kernel has to call this.
    __device__ void end() { atomicMax(&stop, now()); }
};

class TimeLine {
public:
    /// Makes room for so many batches.
    void begin(std::size_t batches, cudaStream_t stream)
    {
        KernelTimes* times = host_.reserve(batches);
        std::fill(times, times + batches, KernelTimes{~0ull, 0});
        upload(device_, times, batches, stream);
        used_ = 0;
    }

    /// Returns where the next batch notes its times. It is safe for several threads.
    KernelTimes* next() { return device_.data() + used_++; }

    /// This is to be called when all streams have been waited for.
    void finish(cudaStream_t stream)
    {
        const std::size_t n = used_;
        download(host_.data(), device_.data(), n, stream);
        check(status_when_done(stream), "read the times of kernels");
        KernelTimes* times = host_.data();
        std::sort(times, times + n,
                  [](const KernelTimes& a, const KernelTimes& b) { return a.start < b.start; });
        busy_ = span_ = 0;
        unsigned long long end = n > 0 ? times[0].start : 0;
        for (std::size_t k = 0; k < n; ++k) {
            const unsigned long long from = std::max(times[k].start, end);
            busy_ += 1e-9 * double(times[k].stop > from ? times[k].stop - from : 0);
            end = std::max(end, times[k].stop);
        }
        if (n > 0)
            span_ = 1e-9 * double(end - times[0].start);
    }

    double busy_seconds() const { return busy_; }
    double span_seconds() const { return span_; }

private:
    DeviceBuffer<KernelTimes> device_;
    PinnedBuffer<KernelTimes> host_;
    std::atomic<std::size_t> used_{0};
    double busy_ = 0, span_ = 0;
};

} // namespace chamomile
