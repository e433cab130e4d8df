/// \file  The inner loop over pairs on the host, as the rest of the library calls it.
///
/// Only plain structs and pointers cross this seam, because the loops are compiled once per
/// instruction set with flags that the caller's code must not share.
#pragma once

#include <cstdint>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

inline constexpr int pair_tile = 32; ///< consecutive sorted sources

/// Sources that a group sees together.
struct TileEntry {
    std::uint32_t tile : 27; ///< sources 32 tile to 32 tile + 31
    std::uint32_t image : 5; ///< the periodic image that is seen
};

/// A pair that is left out; targets are numbered from the first of a group.
struct ExcludedPair {
    std::uint32_t source, target;
};

/// One group of targets against its tiles. Rows are consecutive doubles of a LawShape's number, and
/// begin with the position if the law has positions.
struct PairGroupWork {
    const void* law;       ///< for lengths in units
    const double* targets; ///< rows
    std::uint32_t target_count;
    const double* sources; ///< rows of all sorted sources
    std::uint32_t source_count;
    const TileEntry *tiles, *tiles_end;
    const TileEntry* near_end;                   ///< tiles before it may be close: in two floats
    const ExcludedPair *excluded, *excluded_end; ///< sorted by source
    const Vec3<double>* images;                  ///< what is added to the positions of an image
    Vec3<double> center;                         ///< that coordinates are rounded about
    const double *target_scale, *source_scale, *sum_scale; ///< factors of each value, before, after
    double* sums;                                          ///< rows; overwritten
};

/// Memory of one thread, kept from group to group.
class PairScratch {
public:
    PairScratch() = default;
    PairScratch(PairScratch&& s) noexcept : data_(s.data_), capacity_(s.capacity_)
    {
        s.data_ = nullptr;
        s.capacity_ = 0;
    }
    PairScratch& operator=(PairScratch&&) = delete;
    ~PairScratch() { delete[] data_; }

    double* reserve(std::size_t doubles)
    {
        if (capacity_ < doubles) {
            delete[] data_;
            data_ = nullptr;
            capacity_ = 0;
            data_ = new double[doubles];
            capacity_ = doubles;
        }
        return data_;
    }

private:
    double* data_ = nullptr;
    std::size_t capacity_ = 0;
};

using PairKernel = void (*)(const PairGroupWork& work, PairScratch& scratch);

} // namespace chamomile
