/// \file  Copies between pageable host memory and the device: all host threads, through pinned
/// slots.
///
/// A pageable copy runs at 11 GB/s, a pinned one at 55 (PCIe 5, H200). Data go through pinned slots
/// block by block. All threads copy a part of each block, so that the first transfer begins early
/// and a block stays in the processor's cache, and one thread starts the transfers: threads that
/// start their own wait for each other in the driver, which took twice as long on the way down.
/// Memory that is pinned already is copied at once. Several cards take their pieces at the same
/// time, each by its own link.
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

/// A CardPiece is the run of an array's items, from `begin` on, that one card has.
template <class T>
struct CardPiece {
    T* data; ///< where the card has them
    std::size_t begin, count;
    int device;
    cudaStream_t stream;
};

class Staging {
public:
    explicit Staging(int device) : device_(device) {}

    /// Returns when the host memory may change; the device has it in the order of the stream.
    template <class T>
    void upload(DeviceBuffer<T>& to, const T* from, std::size_t n, cudaStream_t stream)
    {
        const CardPiece<T> whole{to.reserve(n), 0, n, device_, stream};
        upload(std::span(&whole, 1), from);
    }

    /// Does so for the pieces of an array.
    template <class T>
    void upload(std::span<const CardPiece<T>> pieces, const T* from)
    {
        if (is_pinned(from)) {
            for (const CardPiece<T>& piece : pieces)
                check(cudaMemcpyAsync(piece.data, from + piece.begin, piece.count * sizeof(T),
                                      cudaMemcpyHostToDevice, piece.stream),
                      "copy pinned memory");
            return;
        }
        const char* const bytes = reinterpret_cast<const char*>(from);
        Passage<Way::up>(*this, in_bytes(pieces))
            .pass([&](std::size_t begin, std::span<char> part) {
                std::memcpy(part.data(), bytes + begin, part.size());
            });
    }

    /// Returns when the host has the data that the stream has made so far.
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
        const CardPiece<const char> whole{reinterpret_cast<const char*>(from), 0, n * sizeof(T),
                                          device_, stream};
        take(std::span(&whole, 1), [&](std::size_t begin, std::span<const char> part) {
            std::memcpy(bytes + begin, part.data(), part.size());
        });
    }

    /// Calls taken(begin, items) for parts of what the pieces' streams have made so far, from all
    /// threads and in any order, and returns when all are taken. Parts begin at cache lines of a
    /// piece.
    template <class T, class Taken>
    void take(std::span<const CardPiece<const T>> pieces, const Taken& taken)
    {
        static_assert(cache_line % sizeof(T) == 0);
        Passage<Way::down>(*this, in_bytes(pieces))
            .pass([&](std::size_t begin, std::span<char> part) {
                taken(begin / sizeof(T),
                      std::span(reinterpret_cast<const T*>(part.data()), part.size() / sizeof(T)));
            });
    }

private:
    template <class T>
    static std::vector<CardPiece<char>> in_bytes(std::span<const CardPiece<T>> pieces)
    {
        std::vector<CardPiece<char>> bytes;
        for (const CardPiece<T>& piece : pieces)
            bytes.push_back({const_cast<char*>(reinterpret_cast<const char*>(piece.data)),
                             piece.begin * sizeof(T), piece.count * sizeof(T), piece.device,
                             piece.stream});
        return bytes;
    }

    enum class Way { up, down };

    static constexpr std::size_t largest_block = 2 << 20, cache_line = 64;
    /// So many bytes are worth a thread.
    static constexpr std::size_t worth_a_thread = 64 << 10;
    /// In a team of so many the first thread copies nothing. (Two cards of 32 threads got 80 GB/s
    /// in place of 58 to 71.)
    static constexpr int worth_a_driver = 8;

    /// A Lane has the slots of one thread, which all threads use in turn.
    struct Lane {
        struct Slot {
            PinnedBuffer<char> block;
            std::vector<std::pair<int, std::unique_ptr<Event>>> moved; ///< one of each device
            cudaEvent_t last = nullptr; ///< that of the last transfer

            cudaEvent_t event(int device)
            {
                for (const auto& [number, event] : moved)
                    if (number == device)
                        return *event;
                check(cudaSetDevice(device), "choose the device");
                moved.emplace_back(device, std::make_unique<Event>());
                return *moved.back().second;
            }
        };
        Slot slot[2];
        std::atomic<std::size_t> copied; ///< blocks of which the thread has copied its part
    };

    /// A Passage takes data through the slots, a block of each piece in turn. Its first thread
    /// starts the transfers and waits for them.
    template <Way way>
    class Passage {
    public:
        Passage(Staging& staging, std::vector<CardPiece<char>> pieces)
            : lanes_(staging.lanes_), pieces_(std::move(pieces))
        {
            std::size_t bytes = 0, longest = 0;
            for (const CardPiece<char>& piece : pieces_) {
                bytes += piece.count;
                longest = std::max(longest, piece.count);
            }
            size_ = bytes < 32 << 20 ? largest_block / 2 : largest_block;
            count_ = (longest + size_ - 1) / size_ * pieces_.size();
            threads_ = int(std::clamp<std::size_t>(bytes / worth_a_thread, 1,
                                                   std::size_t(omp_get_max_threads())));
            check(cudaSetDevice(staging.device_), "choose the device");
            while (lanes_.size() < std::size_t(threads_)) {
                auto lane = std::make_unique<Lane>();
                for (auto& slot : lane->slot)
                    slot.block.reserve(largest_block);
                lanes_.push_back(std::move(lane));
            }
            for (const auto& lane : lanes_) {
                lane->copied = 0;
                for (const CardPiece<char>& piece : pieces_)
                    for (auto& slot : lane->slot)
                        slot.event(piece.device);
            }
            check(cudaSetDevice(staging.device_), "choose the device");
        }

        /// Calls copy(begin, part) for parts of slots, from all threads.
        template <class Copy>
        void pass(const Copy& copy)
        {
            start_transfers(1);
            // A smaller team would end the other threads, and the next loop would start them anew.
#pragma omp parallel if (threads_ > 1)
            if (const int thread = omp_get_thread_num(); thread < threads_)
                share(copy, thread, std::min(omp_get_num_threads(), threads_));
            check(status_, way == Way::up ? "copy to the device" : "copy from the device");
        }

    private:
        template <class Copy>
        void share(const Copy& copy, int thread, int team)
        {
            // The first thread has enough to do where it starts transfers of several cards.
            const int idle = pieces_.size() > 1 && team >= worth_a_driver ? 1 : 0;
            for (std::size_t k = 0; k < count_; ++k) {
                if (thread == 0)
                    make_ready(k, team);
                while (ready_ <= k && status_ == cudaSuccess)
                    std::this_thread::yield();
                if (status_ != cudaSuccess)
                    return;
                const std::size_t begin = piece(k).begin + offset(k), size = size_of(k),
                                  lines = size / cache_line;
                const auto edge = [&](int t) {
                    const int before = std::max(0, t - idle), of = team - idle;
                    return t == team ? size
                                     : lines * std::size_t(before) / std::size_t(of) * cache_line;
                };
                if (const std::size_t first = edge(thread), end = edge(thread + 1); first < end)
                    copy(begin + first, std::span(slot(k).block.data() + first, end - first));
                lanes_[std::size_t(thread)]->copied = k + 1;
            }
            while (way == Way::up && thread == 0 && started_ < count_ && status_ == cudaSuccess)
                start_transfers(team);
        }

        /// Waits until the block's slot may be read, or written.
        void make_ready(std::size_t k, int team)
        {
            const std::size_t before = way == Way::up ? slots() : 0; // of this slot
            do
                start_transfers(team);
            while (started_ + before <= k && status_ == cudaSuccess);
            wait_for_transfer(k);
            ready_ = k + 1;
        }

        /// Waits for the last transfer of the block's slot, which may be of an earlier passage.
        void wait_for_transfer(std::size_t k)
        {
            if (status_ == cudaSuccess && slot(k).last)
                status_ = status_when_done(slot(k).last);
        }

        /// Starts the transfers of blocks that the team has copied, or that slots are free for.
        void start_transfers(int team)
        {
            std::size_t end = count_;
            for (int thread = 0; thread < team; ++thread)
                end = std::min<std::size_t>(end, lanes_[std::size_t(thread)]->copied);
            if (way == Way::down)
                end = std::min(count_, end + slots());
            for (; started_ < end && status_ == cudaSuccess; ++started_) {
                const CardPiece<char>& piece = this->piece(started_);
                Lane::Slot& slot = this->slot(started_);
                const std::size_t size = size_of(started_);
                if (way == Way::down && started_ < slots())
                    wait_for_transfer(started_);
                if (status_ != cudaSuccess)
                    return;
                if (size == 0) // of a piece that is shorter than another
                    continue;
                char *const there = piece.data + offset(started_), *const here = slot.block.data();
                cudaError_t status =
                    way == Way::up
                        ? cudaMemcpyAsync(there, here, size, cudaMemcpyHostToDevice, piece.stream)
                        : cudaMemcpyAsync(here, there, size, cudaMemcpyDeviceToHost, piece.stream);
                slot.last = slot.event(piece.device);
                if (status == cudaSuccess)
                    status = cudaEventRecord(slot.last, piece.stream);
                status_ = status;
            }
        }

        std::size_t slots() const
        {
            return 2 * std::size_t(threads_);
        }
        const CardPiece<char>& piece(std::size_t k) const
        {
            return pieces_[k % pieces_.size()];
        }
        /// Returns where the block begins in its piece.
        std::size_t offset(std::size_t k) const
        {
            return k / pieces_.size() * size_;
        }
        std::size_t size_of(std::size_t k) const
        {
            const std::size_t begin = std::min(offset(k), piece(k).count);
            return std::min(size_, piece(k).count - begin);
        }
        Lane::Slot& slot(std::size_t k) const
        {
            const std::size_t threads = std::size_t(threads_);
            return lanes_[k % threads]->slot[k / threads % 2];
        }

        std::vector<std::unique_ptr<Lane>>& lanes_;
        const std::vector<CardPiece<char>> pieces_;
        std::size_t size_, count_; // size_: of a block
        int threads_;
        std::size_t started_ = 0;           // transfers, by the first thread
        std::atomic<std::size_t> ready_{0}; // blocks
        std::atomic<cudaError_t> status_{cudaSuccess};
    };

    static bool is_pinned(const void* memory)
    {
        cudaPointerAttributes attributes;
        if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
            cudaGetLastError(); // old drivers refuse what they do not know
            return false;
        }
        return attributes.type == cudaMemoryTypeHost;
    }

    int device_;
    std::vector<std::unique_ptr<Lane>> lanes_;
};

} // namespace chamomile
