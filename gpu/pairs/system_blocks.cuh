/// \file  Blocks of targets for small systems, kept while the systems stay the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/pairs/pair_sum.cuh"

namespace chamomile {

class SystemBlocks {
public:
    /// Chooses the tiling with the fewest lanes, or of two equal ones that with more targets a
    /// lane, and lists its blocks. targets_of(cut): targets of a block.
    template <class TargetsOf>
    PairCut choose(std::span<const std::uint64_t> offsets, const TargetsOf& targets_of)
    {
        if (std::equal(offsets.begin(), offsets.end(), offsets_.begin(), offsets_.end()))
            return cut_;
        is_sent_ = false;
        offsets_.clear(); // an exception leaves none
        const unsigned many = targets_of(PairCut::many), few = targets_of(PairCut::cutoff);
        cut_ = lanes(offsets, many) <= lanes(offsets, few) ? PairCut::many : PairCut::cutoff;
        size_ = cut_ == PairCut::many ? many : few;
        blocks_.clear();
        pairs_ = 0;
        for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
            const unsigned begin = unsigned(offsets[b]), end = unsigned(offsets[b + 1]);
            pairs_ += std::uint64_t(end - begin) * (end - begin);
            for (unsigned target = begin; target < end; target += size_)
                blocks_.push_back({begin, end, target});
        }
        if (std::uint64_t(blocks_.size()) * size_ > 0xffffffffu)
            throw Error(Fault::input, "systems: " + std::to_string(offsets.size() - 1) +
                                          ": more than 2^32 lanes: use fewer systems per call");
        offsets_.assign(offsets.begin(), offsets.end());
        return cut_;
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
    static std::uint64_t lanes(std::span<const std::uint64_t> offsets, unsigned size)
    {
        std::uint64_t all = 0;
        for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
            all += (offsets[b + 1] - offsets[b] + size - 1) / size * size;
        return all;
    }

    std::vector<std::uint64_t> offsets_;
    std::vector<PairSystem> blocks_;
    PairCut cut_ = PairCut::many;
    unsigned size_ = 0;
    std::uint64_t pairs_ = 0;
    bool is_sent_ = false;
};

} // namespace chamomile
