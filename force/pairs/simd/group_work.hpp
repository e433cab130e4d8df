/// \file  The interface to the host's inner loop over pairs.
///
/// Only plain structs and pointers cross this interface, because the loops are compiled once per
/// instruction set with flags that the caller's code must not share.
#pragma once

#include <cstdint>

#include "chamomile/core/vec3.hpp"
#include "chamomile/force/simd/kernel_scratch.hpp"

namespace chamomile {

inline constexpr int pair_tile = 32; ///< consecutive sorted sources

/// A source tile seen by a group.
struct TileEntry {
    std::uint32_t tile : 27; ///< sources 32 tile to 32 tile + 31
    std::uint32_t image : 5; ///< the periodic image
};

/// An excluded pair; targets are numbered within their group.
struct ExcludedPair {
    std::uint32_t source, target;
};

/// One group of targets with its tiles. Rows are consecutive doubles, by LawShape, and begin with
/// the position if the law has positions. A kernel's argument: a member for each array.
struct PairGroupWork {
    const void* law;       ///< in the current length unit
    const double* targets; ///< rows
    std::uint32_t target_count;
    const double* sources; ///< rows of all sorted sources
    std::uint32_t source_count;
    const TileEntry *tiles, *tiles_end;
    const TileEntry* near_end;                             ///< before it: coordinates in two floats
    const ExcludedPair *excluded, *excluded_end;           ///< sorted by source
    const Vec3<double>* images;                            ///< shift of positions, per image
    Vec3<double> center;                                   ///< for rounding coordinates
    const double *target_scale, *source_scale, *sum_scale; ///< factors for values and sums
    double* sums;                                          ///< rows; overwritten
};

using PairKernel = void (*)(const PairGroupWork& work, KernelScratch& scratch);

} // namespace chamomile
