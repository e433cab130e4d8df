/// \file  Records of batches: run times of kernels, and results of pruning (gpu/lists/prune.cuh).
///
/// Blocks record the time themselves. Two events per batch from many threads would delay the driver
/// by more than the sums take: 16 threads share one lock there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// A BatchNote holds start and end of a batch's kernels, in nanoseconds of the device's clock, and
/// counts of lists finished on the device.
struct BatchNote {
    unsigned long long start = ~0ull, stop = 0;
    unsigned long long particle_pairs = 0, cell_pairs = 0, expansions = 0;
    unsigned long long words = 0; ///< needed by the lists
    unsigned row_count = 0;       ///< lists
    unsigned is_too_deep = 0;     ///< the tree exceeds the kernel's stack
    unsigned opens_absent = 0;    ///< a list contains a cell whose particles are not on this rank

    static __device__ unsigned long long now()
    {
        unsigned long long time;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
        return time;
    }

    /// Called by one thread of each block of the first kernel.
    __device__ void begin() { atomicMin(&start, now()); }
    /// Called by one thread of each block of the last kernel.
    __device__ void end() { atomicMax(&stop, now()); }
};

class TimeLine {
public:
    /// Makes room for `batches` batches.
    void begin(std::size_t batches, cudaStream_t stream)
    {
        BatchNote* times = host_.reserve(batches);
        std::fill(times, times + batches, BatchNote{});
        upload(device_, times, batches, stream);
        used_ = 0;
    }

    /// Returns the record of the next batch. Thread-safe.
    BatchNote* next() { return device_.data() + used_++; }

    /// Must be called after all streams have been waited for.
    void finish(cudaStream_t stream)
    {
        const std::size_t n = used_;
        BatchNote* times = host_.data();
        download(times, device_.data(), n, stream);
        check(status_when_done(stream), "read the times of batches");
        lists_ = {};
        for (std::size_t k = 0; k < n; ++k)
            lists_.add(times[k]);
        std::sort(times, times + n,
                  [](const BatchNote& a, const BatchNote& b) { return a.start < b.start; });
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

    /// Counts over all batches.
    struct ListNotes {
        std::uint64_t particle_pairs = 0, cell_pairs = 0, expansions = 0;
        double words_per_list = 0; ///< of the batch with the longest lists
        bool are_too_deep = false, open_absent = false;

        void add(const BatchNote& note)
        {
            particle_pairs += note.particle_pairs;
            cell_pairs += note.cell_pairs;
            expansions += note.expansions;
            if (note.row_count > 0)
                words_per_list = std::max(words_per_list, double(note.words) / note.row_count);
            are_too_deep = are_too_deep || note.is_too_deep;
            open_absent = open_absent || note.opens_absent;
        }
    };
    const ListNotes& lists() const { return lists_; }

    double busy_seconds() const { return busy_; }
    double span_seconds() const { return span_; }

private:
    DeviceBuffer<BatchNote> device_;
    PinnedBuffer<BatchNote> host_;
    std::atomic<std::size_t> used_{0};
    double busy_ = 0, span_ = 0;
    ListNotes lists_;
};

} // namespace chamomile
