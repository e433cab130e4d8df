/// \file  Messages between ranks with data in device memory.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/ranks/nccl_link.cuh"

namespace chamomile {

/// A DeviceMessage is a message to one rank: a head on the host and data on the device.
struct DeviceMessage {
    std::vector<std::byte> head = {};
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
};

/// A DeviceExchange sends messages between GPUs. Ranks that are threads of one process copy
/// directly from GPU to GPU. Processes use NCCL, or without NCCL stage the data through the hosts.
class DeviceExchange {
public:
    /// Sends to[r] to each rank r once `stream` has produced the data. The data must stay until all
    /// ranks have begun another exchange or collective.
    void exchange(std::span<const DeviceMessage> to, Communicator& ranks, const Stream& stream)
    {
        start(to, ranks, stream);
        finish(stream);
        copies_->wait();
    }
    /// start() and finish() are the two halves of exchange(). Work that is queued in `stream`
    /// between them runs during the copies. data() is valid in the order of the stream after
    /// finish(). Work queued in `stream` after the next start() may overwrite the data; to free
    /// them, wait on the host. Threads of one process do not wait for their GPUs.
    void start(std::span<const DeviceMessage> to, Communicator& ranks, const Stream& stream);
    void finish(const Stream& stream);

    /// True if kernels of all ranks can read the memory of all others. Then a head may have
    /// addresses of data that `stream` produces before start(), to be read by kernels in copies()
    /// between start() and finish(). An error that frees these data may end the readers with an
    /// error too. Collective at the first call.
    bool reads_others(Communicator& ranks);
    const Stream& copies() const { return *copies_; } ///< after start()

    /// Return the head and data received from a rank; the data are ready in the order of the
    /// stream.
    std::span<const std::byte> head(int rank) const;
    const std::byte* data(int rank) { return arrived_.data() + begins_[std::size_t(rank)]; }

private:
    /// A Label precedes each head.
    struct Label {
        std::uint64_t head, bytes; ///< lengths in bytes
        int device;                ///< of the data
        const std::byte* data;     ///< in the sender's process
        cudaEvent_t sent;          ///< the data are there
        cudaEvent_t copied;        ///< the sender has copied all data of its last exchange
    };
    /// Two sets, used in turn: another rank may still wait for events of the last exchange.
    struct Events {
        Event sent, ready, copied;
    };
    Events& events() { return (*events_)[turn_]; }
    Label label(int rank) const;
    void send_labels(std::span<const DeviceMessage> to, bool stages, Communicator& ranks);
    void wait_for_others(Communicator& ranks, const Stream& stream);
    void begin(Communicator& ranks);
    void send_by_nccl(std::span<const DeviceMessage> to);
    void copy(bool was_staged, int me);

    Inbox inbox_;
    DeviceBuffer<std::byte> arrived_;
    std::vector<std::size_t> begins_; // first byte of each rank's data, and the end
    PinnedBuffer<std::byte> leaving_;
    int device_ = -1;              // of this rank
    std::optional<Stream> copies_; // of received data
    std::optional<std::array<Events, 2>> events_;
    std::size_t turn_ = 0;
    bool is_one_process_ = false;    // all ranks are threads
    std::shared_ptr<NcclLink> nccl_; // null: no NCCL
    std::optional<bool> reads_others_;
};

} // namespace chamomile
