/// \file  When kernels ran: how long the GPU was busy, and from the first kernel to the last.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "gpu/device.cuh"

namespace chamomile {

/// Start and end of each kernel since begin(), by events; the events are kept from step to step.
/// start() and stop() are safe for several threads.
class TimeLine {
public:
    using Entry = std::size_t;

    void begin(cudaStream_t stream)
    {
        origin_.record(stream);
        used_ = 0;
    }

    Entry start(cudaStream_t stream)
    {
        const std::lock_guard lock(mutex_);
        if (used_ == kernels_.size())
            kernels_.emplace_back();
        kernels_[used_].start.record(stream);
        return used_++;
    }

    void stop(Entry entry, cudaStream_t stream)
    {
        const std::lock_guard lock(mutex_);
        kernels_[entry].stop.record(stream);
    }

    /// To be called when all streams have been waited for.
    void finish()
    {
        std::vector<std::pair<float, float>> spans;
        for (std::size_t k = 0; k < used_; ++k)
            spans.push_back({since_origin(kernels_[k].start), since_origin(kernels_[k].stop)});
        std::sort(spans.begin(), spans.end());
        busy_ = span_ = 0;
        float end = spans.empty() ? 0 : spans[0].first;
        for (const auto& [start, stop] : spans) {
            busy_ += 1e-3 * std::max(0.0f, stop - std::max(start, end));
            end = std::max(end, stop);
        }
        if (!spans.empty())
            span_ = 1e-3 * (end - spans[0].first);
    }

    double busy_seconds() const { return busy_; }
    double span_seconds() const { return span_; }

private:
    struct KernelTimes {
        Event start, stop;
    };

    float since_origin(const Event& event) const
    {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, origin_, event), "read an event");
        return milliseconds;
    }

    std::mutex mutex_;
    Event origin_;
    std::vector<KernelTimes> kernels_;
    std::size_t used_ = 0;
    double busy_ = 0, span_ = 0;
};

} // namespace chamomile
