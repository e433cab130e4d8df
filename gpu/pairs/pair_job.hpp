/// \file  What a sum over pairs on the device works on. Read by nvcc and by NVRTC: no header of the
/// standard library.
#pragma once

#include "chamomile/core/vec3.hpp"
#include "chamomile/gpu/tiles/tile_block.cuh"
#include "chamomile/gpu/tiles/tile_boxes.cuh"

namespace chamomile {

inline constexpr int most_law_values = 32; ///< in a record, on the device

/// A PairTileEntry is a tile as a block of targets sees it.
struct PairTileEntry {
    unsigned tile : 27;
    unsigned image : 5;
};

/// A PairExcluded is a pair that is left out, by the sorted number of the source and the number of
/// the target in its block.
struct PairExcluded {
    unsigned source, target;
};

/// A PairJob is the job of the kernel. Rows are consecutive doubles of the law's records. Orders
/// give the caller's number of each sorted row; null says that rows stand sorted.
struct PairJob {
    const double *targets, *sources;
    const unsigned *target_order, *source_order;
    unsigned target_count, source_count;
    const TileBox<double>* boxes;   ///< of tiles of 32 sorted sources; null: all may be near
    const PairTileEntry* tiles;     ///< of each block, one after the other; null: all tiles
    const unsigned* tiles_begin;    ///< by block, and the end
    const PairExcluded* excluded;   ///< of each block, sorted by source; null: none
    const unsigned* excluded_begin; ///< by block, and the end
    const unsigned* self;           ///< by the caller's number of the target; null: none
    Vec3<double> images[27];
    double target_scale[most_law_values], source_scale[most_law_values], sum_scale[most_law_values];
    PartSums parts;
    double* sums; ///< rows by the caller's number
};

} // namespace chamomile
