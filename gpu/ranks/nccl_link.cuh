/// \file  Messages between GPUs of several processes by NCCL, if its library is installed.
#pragma once

#include <memory>
#include <span>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// A NcclLink connects ranks with one GPU each, no GPU twice.
class NcclLink {
public:
    /// Returns the link of these ranks; null on all ranks if some rank has no NCCL or shares its
    /// GPU. Reuses the last link while the current devices are unchanged. Collective.
    static std::shared_ptr<NcclLink> join(Communicator& ranks);

    ~NcclLink();
    NcclLink(const NcclLink&) = delete;
    NcclLink& operator=(const NcclLink&) = delete;

    /// Sends to[r] to each rank r and receives from[r] from rank r, in the order of the stream.
    void start(std::span<const std::span<const std::byte>> to,
               std::span<const std::span<std::byte>> from, const Stream& stream);
    /// Waits for the stream of start().
    void wait(const Stream& stream);

private:
    explicit NcclLink(void* communicator) : communicator_(communicator) {}
    static std::shared_ptr<NcclLink> make(Communicator& ranks);

    void* communicator_;
    bool is_idle_ = false; ///< no transfer is in progress
};

} // namespace chamomile
