/// \file  Messages of ranks that lie in device memory.
#pragma once

#include <span>
#include <vector>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/ranks/nccl_link.cuh"

namespace chamomile {

/// A DeviceParcel is what a rank sends to another: a head on the host, and data on the device.
struct DeviceParcel {
    std::vector<std::byte> head = {};
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
};

/// A DeviceExchange sends parcels. Ranks that are threads of one process copy from each other's
/// memory, from GPU to GPU; others send them by NCCL, or without it by way of their hosts.
class DeviceExchange {
public:
    /// Sends to[r] to each rank r, whose data the stream has made so far. The data must stay until
    /// all ranks have begun another exchange or collective.
    void exchange(std::span<const DeviceParcel> to, Communicator& ranks, const Stream& stream);

    /// Return what has come from a rank; data are there in the order of the stream.
    std::span<const std::byte> head(int rank) const;
    const std::byte* data(int rank) { return arrived_.data() + begins_[std::size_t(rank)]; }

private:
    /// A Label goes before each head.
    struct Label {
        std::uint64_t head, bytes; ///< their lengths
        int device;                ///< of the data
        const std::byte* data;     ///< in the sender's process
    };
    Label label(int rank) const;
    void send_labels(std::span<const DeviceParcel> to, bool stages, Communicator& ranks);
    void begin(Communicator& ranks);
    void send_by_nccl(std::span<const DeviceParcel> to, const Stream& stream);
    void copy(bool was_staged, const Stream& stream);
    void allow_copies(int device);

    Inbox inbox_;
    DeviceBuffer<std::byte> arrived_;
    std::vector<std::size_t> begins_; // of the data of each rank, and after them all
    PinnedBuffer<std::byte> leaving_;
    std::vector<int> allowed_;       // this device, and those from which it may copy
    std::shared_ptr<NcclLink> nccl_; // null: none
};

} // namespace chamomile
