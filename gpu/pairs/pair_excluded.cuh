/// \file  Excluded pairs of a block's targets and a tile.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/gpu/pairs/pair_job.hpp"

namespace chamomile {

/// The excluded pairs of a block, for one warp's pass over its tiles. Ascending tiles are fastest.
class PairExclusions {
    static constexpr unsigned lanes = 32;

public:
    __device__ PairExclusions(const PairJob& job, unsigned block) : pairs_(job.excluded)
    {
        if (!pairs_)
            return;
        begin_ = next_ = job.excluded_begin[block];
        end_ = job.excluded_begin[block + 1];
    }

    /// True if some target must skip some source of the tile at `tile_begin`. Bit j of mask[t /
    /// 32][t % 32] is then set if target t must skip its source j. Called by a whole warp.
    template <int rows>
    __device__ bool find(unsigned tile_begin, unsigned (&mask)[rows][lanes], int lane)
    {
        if (begin_ == end_)
            return false;
        if (next_ > begin_ && pairs_[next_ - 1].source >= tile_begin)
            next_ = first(tile_begin, begin_);
        else if (next_ < end_ && pairs_[next_].source < tile_begin)
            next_ = first(tile_begin, next_);
        if (next_ == end_ || pairs_[next_].source >= tile_begin + lanes)
            return false;
#pragma unroll
        for (int k = 0; k < rows; ++k)
            mask[k][lane] = 0;
        __syncwarp();
        for (unsigned e = next_ + unsigned(lane); e < end_; e += lanes) {
            const PairExcluded pair = pairs_[e];
            if (pair.source >= tile_begin + lanes)
                break;
            atomicOr(&mask[pair.target / lanes][pair.target % lanes],
                     1u << (pair.source - tile_begin));
        }
        return true;
    }

private:
    __device__ unsigned first(unsigned source, unsigned low) const
    {
        unsigned high = end_;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (pairs_[middle].source < source)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    const PairExcluded* pairs_;
    unsigned begin_ = 0, next_ = 0, end_ = 0;
};

} // namespace chamomile
