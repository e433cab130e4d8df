/// \file  The interface to the host's inner loop over pairs.
///
/// Only plain structs and pointers cross this interface, because the loops are compiled once per
/// instruction set with flags that the caller's code must not share.
#pragma once

#include <cstdint>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

inline constexpr int pair_tile = 32; ///< consecutive sorted sources

/// A TileEntry is a tile of sources that a group sees.
struct TileEntry {
    std::uint32_t tile : 27; ///< sources 32 tile to 32 tile + 31
    std::uint32_t image : 5; ///< the periodic image that is seen
};

/// An ExcludedPair is a pair that is left out; targets are numbered from the first of a group.
struct ExcludedPair {
    std::uint32_t source, target;
};

/// A PairGroupWork is one group of targets with its tiles. Rows are consecutive doubles, as many as
/// the LawShape states, and begin with the position if the law has positions.
struct PairGroupWork {
    const void* law;       ///< for lengths in the unit in use
    const double* targets; ///< rows
    std::uint32_t target_count;
    const double* sources; ///< rows of all sorted sources
    std::uint32_t source_count;
    const TileEntry *tiles, *tiles_end;
    const TileEntry* near_end;                   ///< tiles before it may be near: in two floats
    const ExcludedPair *excluded, *excluded_end; ///< sorted by source
    const Vec3<double>* images;                  ///< shifts of the positions, by image
    Vec3<double> center;                         ///< coordinates are rounded about it
    const double *target_scale, *source_scale, *sum_scale; ///< factors of values and of sums
    double* sums;                                          ///< rows; overwritten
};

/// A PairScratch is the memory of one thread, kept from group to group.
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
