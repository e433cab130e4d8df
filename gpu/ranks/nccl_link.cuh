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
    /// Returns the link of these ranks, whose current devices are those of the last call or else
    /// get a new link; null on all if some rank has no NCCL or shares its GPU. All ranks call it
    /// together.
    static std::shared_ptr<NcclLink> join(Communicator& ranks);

    ~NcclLink();
    NcclLink(const NcclLink&) = delete;
    NcclLink& operator=(const NcclLink&) = delete;

    /// Sends to[r] to each rank r, and receives from[r] from it. Waits until the stream is done.
    void exchange(std::span<const std::span<const std::byte>> to,
                  std::span<const std::span<std::byte>> from, const Stream& stream);

private:
    explicit NcclLink(void* communicator) : communicator_(communicator) {}
    static std::shared_ptr<NcclLink> make(Communicator& ranks);

    void* communicator_;
    bool is_idle_ = false; ///< nothing is under way
};

} // namespace chamomile
