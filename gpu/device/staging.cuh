/// \file  Copies between pageable host memory and the device by all host threads, through pinned
/// slots.
///
/// A pageable copy runs at 11 GB/s, a pinned one at 55 (PCIe 5, H200). Data pass through pinned
/// slots block by block. All threads copy a part of each block: the first transfer begins early,
/// and a block stays in the processor's cache. One thread starts all transfers. If each thread
/// started transfers, they would wait for each other in the driver, and downloads took twice as
/// long. Pinned memory is copied directly.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <omp.h>

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

class Staging {
public:
    explicit Staging(int device) : device_(device) {}

    /// Copies n items in the order of the stream to a DeviceBuffer or a PhaseArray. On return
    /// pageable memory may change; pinned memory must stay unchanged until the stream has copied
    /// it.
    template <class Array, class T>
    void upload(Array& to, const T* from, std::size_t n, cudaStream_t stream)
    {
        T* const there = to.reserve(n);
        if (is_pinned(from)) {
            check(cudaMemcpyAsync(there, from, n * sizeof(T), cudaMemcpyHostToDevice, stream),
                  "copy pinned memory");
            return;
        }
        const char* const bytes = reinterpret_cast<const char*>(from);
        StagedCopy<Direction::up>(*this, reinterpret_cast<char*>(there), n * sizeof(T), stream)
            .pass([&](std::size_t begin, std::span<char> part) {
                std::memcpy(part.data(), bytes + begin, part.size());
            });
    }

    /// Returns when the host has the data, in the order of the stream.
    template <class T>
    void download(T* to, const T* from, std::size_t n, cudaStream_t stream)
    {
        if (is_pinned(to)) {
            check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToHost, stream),
                  "copy pinned memory");
            check(status_when_done(stream), "wait for a copy");
            return;
        }
        char* const bytes = reinterpret_cast<char*>(to);
        take(reinterpret_cast<const char*>(from), n * sizeof(T), stream,
             [&](std::size_t begin, std::span<const char> part) {
                 std::memcpy(bytes + begin, part.data(), part.size());
             });
    }

    /// Downloads n items and calls taken(begin, items) for parts of them, from all threads and in
    /// any order. Returns after the last call. Parts begin at cache lines.
    template <class T, class Taken>
    void take(const T* from, std::size_t n, cudaStream_t stream, const Taken& taken)
    {
        static_assert(cache_line % sizeof(T) == 0);
        StagedCopy<Direction::down>(*this, const_cast<char*>(reinterpret_cast<const char*>(from)),
                                    n * sizeof(T), stream)
            .pass([&](std::size_t begin, std::span<char> part) {
                taken(begin / sizeof(T),
                      std::span(reinterpret_cast<const T*>(part.data()), part.size() / sizeof(T)));
            });
    }

private:
    enum class Direction { up, down };

    static constexpr std::size_t largest_block = 2 << 20, cache_line = 64;
    /// Min bytes for each thread of a copy.
    static constexpr std::size_t worth_a_thread = 64 << 10;

    /// A ThreadSlots holds one thread's slots. All threads use each slot in turn.
    struct ThreadSlots {
        struct Slot {
            PinnedBuffer<char> block;
            Event moved; ///< by its last transfer
        };
        Slot slot[2];
        std::atomic<std::size_t> copied; ///< blocks that this thread is done with
    };

    /// A StagedCopy copies data through the slots, block after block. Its first thread starts the
    /// transfers and waits for them.
    template <Direction way>
    class StagedCopy {
    public:
        StagedCopy(Staging& staging, char* there, std::size_t bytes, cudaStream_t stream)
            : lanes_(staging.lanes_), there_(there), bytes_(bytes), stream_(stream)
        {
            size_ = bytes < 32 << 20 ? largest_block / 2 : largest_block;
            count_ = (bytes + size_ - 1) / size_;
            threads_ = int(std::clamp<std::size_t>(bytes / worth_a_thread, 1,
                                                   std::size_t(omp_get_max_threads())));
            check(cudaSetDevice(staging.device_), "choose the device");
            while (lanes_.size() < std::size_t(threads_)) {
                auto lane = std::make_unique<ThreadSlots>();
                for (auto& slot : lane->slot)
                    slot.block.reserve(largest_block);
                lanes_.push_back(std::move(lane));
            }
            for (const auto& lane : lanes_)
                lane->copied = 0;
        }

        /// Calls copy(begin, part) for parts of slots, from all threads.
        template <class Copy>
        void pass(const Copy& copy)
        {
            start_transfers(1);
            // A smaller team would end the other threads, and the next parallel loop would restart
            // them.
#pragma omp parallel if (threads_ > 1)
            if (const int thread = omp_get_thread_num(); thread < threads_)
                share(copy, thread, std::min(omp_get_num_threads(), threads_));
            check(status_, way == Direction::up ? "copy to the device" : "copy from the device");
        }

    private:
        template <class Copy>
        void share(const Copy& copy, int thread, int team)
        {
            for (std::size_t k = 0; k < count_; ++k) {
                if (thread == 0)
                    make_ready(k, team);
                while (ready_ <= k && status_ == cudaSuccess)
                    std::this_thread::yield();
                if (status_ != cudaSuccess)
                    return;
                const std::size_t size = size_of(k), lines = size / cache_line;
                const auto edge = [&](int t) {
                    return t == team ? size
                                     : lines * std::size_t(t) / std::size_t(team) * cache_line;
                };
                if (const std::size_t first = edge(thread), end = edge(thread + 1); first < end)
                    copy(k * size_ + first, std::span(slot(k).block.data() + first, end - first));
                lanes_[std::size_t(thread)]->copied = k + 1;
            }
            while (way == Direction::up && thread == 0 && started_ < count_ &&
                   status_ == cudaSuccess)
                start_transfers(team);
        }

        /// Waits until the block's slot may be read or written.
        void make_ready(std::size_t k, int team)
        {
            // Up, the slot's last block, k - slots(), must have started; down, block k itself.
            const std::size_t before = way == Direction::up ? slots() : 0;
            do
                start_transfers(team);
            while (started_ + before <= k && status_ == cudaSuccess);
            wait_for_transfer(k);
            ready_ = k + 1;
        }

        /// Waits for the last transfer of the block's slot, possibly of an earlier passage.
        void wait_for_transfer(std::size_t k)
        {
            if (status_ == cudaSuccess)
                status_ = status_when_done(slot(k).moved);
        }

        /// Starts transfers of copied blocks (up), or transfers into free slots (down).
        void start_transfers(int team)
        {
            std::size_t end = count_;
            for (int thread = 0; thread < team; ++thread)
                end = std::min<std::size_t>(end, lanes_[std::size_t(thread)]->copied);
            if (way == Direction::down)
                end = std::min(count_, end + slots());
            for (; started_ < end && status_ == cudaSuccess; ++started_) {
                ThreadSlots::Slot& slot = this->slot(started_);
                const std::size_t size = size_of(started_);
                if (way == Direction::down && started_ < slots())
                    wait_for_transfer(started_);
                if (status_ != cudaSuccess)
                    return;
                char *const there = there_ + started_ * size_, *const here = slot.block.data();
                cudaError_t status =
                    way == Direction::up
                        ? cudaMemcpyAsync(there, here, size, cudaMemcpyHostToDevice, stream_)
                        : cudaMemcpyAsync(here, there, size, cudaMemcpyDeviceToHost, stream_);
                if (status == cudaSuccess)
                    status = cudaEventRecord(slot.moved, stream_);
                status_ = status;
            }
        }

        std::size_t slots() const
        {
            return 2 * std::size_t(threads_);
        }
        std::size_t size_of(std::size_t k) const
        {
            return std::min(size_, bytes_ - k * size_);
        }
        ThreadSlots::Slot& slot(std::size_t k) const
        {
            const std::size_t threads = std::size_t(threads_);
            return lanes_[k % threads]->slot[k / threads % 2];
        }

        std::vector<std::unique_ptr<ThreadSlots>>& lanes_;
        char* const there_; // on the device
        const std::size_t bytes_;
        const cudaStream_t stream_;
        std::size_t size_, count_; // size_: bytes of a block
        int threads_;
        std::size_t started_ = 0;           // transfers, by the first thread
        std::atomic<std::size_t> ready_{0}; // blocks
        std::atomic<cudaError_t> status_{cudaSuccess};
    };

    static bool is_pinned(const void* memory)
    {
        cudaPointerAttributes attributes;
        if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
            cudaGetLastError(); // old drivers reject memory unknown to CUDA
            return false;
        }
        return attributes.type == cudaMemoryTypeHost;
    }

    int device_;
    std::vector<std::unique_ptr<ThreadSlots>> lanes_;
};

} // namespace chamomile
