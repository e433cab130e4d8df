/// \file  Messages between GPUs of several processes by NCCL, where its library is there.
#pragma once

#include <memory>
#include <span>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// A NcclLink connects ranks whose GPUs are all different.
class NcclLink {
public:
    /// Returns the link of these ranks, which is made when they first call this, all together; null
    /// on all if some rank has no NCCL or shares its GPU.
    static NcclLink* of(Communicator& ranks);

    ~NcclLink();
    NcclLink(const NcclLink&) = delete;
    NcclLink& operator=(const NcclLink&) = delete;

    /// Sends to[r] to each rank r, and receives from[r] from it, in the order of the stream.
    void exchange(std::span<const std::span<const std::byte>> to,
                  std::span<const std::span<std::byte>> from, cudaStream_t stream);

private:
    explicit NcclLink(void* communicator) : communicator_(communicator) {}
    static std::shared_ptr<NcclLink> make(Communicator& ranks);

    void* communicator_;
};

} // namespace chamomile
