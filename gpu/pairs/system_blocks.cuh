/// \file  Blocks of targets for small systems, kept while the systems stay the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/pairs/pair_job.hpp"

namespace chamomile {

class SystemBlocks {
public:
    /// Lists blocks of at most `size` targets. Throws Error(input) if they have 2^32 lanes.
    void list(std::span<const std::uint64_t> offsets, unsigned size)
    {
        if (size == size_ &&
            std::equal(offsets.begin(), offsets.end(), offsets_.begin(), offsets_.end()))
            return;
        offsets_.clear(); // an exception leaves none
        is_sent_ = false;
        size_ = size;
        blocks_.clear();
        pairs_ = 0;
        for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
            const std::uint64_t begin = offsets[b], end = offsets[b + 1];
            pairs_ += (end - begin) * (end - begin);
            for (std::uint64_t target = begin; target < end; target += size)
                blocks_.push_back({unsigned(begin), unsigned(end), unsigned(target)});
        }
        if (std::uint64_t(blocks_.size()) * size > 0xffffffffu)
            throw Error(Fault::input, "systems: " + std::to_string(offsets.size() - 1) +
                                          ": more than 2^32 lanes: use fewer systems per call");
        offsets_.assign(offsets.begin(), offsets.end());
    }

    const PairSystem* on_device(DeviceBuffer<PairSystem>& memory, cudaStream_t stream)
    {
        if (!is_sent_)
            upload(memory, blocks_.data(), blocks_.size(), stream);
        is_sent_ = true;
        return memory.data();
    }
    /// Returns the number of targets that fill all blocks.
    unsigned targets() const { return unsigned(blocks_.size()) * size_; }
    std::uint64_t pairs() const { return pairs_; }

private:
    std::vector<std::uint64_t> offsets_;
    std::vector<PairSystem> blocks_;
    unsigned size_ = 0;
    std::uint64_t pairs_ = 0;
    bool is_sent_ = false;
};

} // namespace chamomile
