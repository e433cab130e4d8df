/// \file  The job of a sum over pairs on the device. Read by nvcc and by NVRTC: no header of the
/// standard library.
#pragma once

#include "chamomile/core/vec3.hpp"
#include "chamomile/gpu/tiles/tile_block.cuh"
#include "chamomile/gpu/tiles/tile_boxes.cuh"

namespace chamomile {

inline constexpr int max_law_values = 32; ///< in a record, on the device

/// A tile in the list of a block of targets.
struct PairTileEntry {
    unsigned tile : 27;
    unsigned image : 5;
};

/// An excluded pair: the sorted index of the source, and the index of the target in its block.
struct PairExcluded {
    unsigned source, target;
};

/// A block of targets from one of several small systems, whose bodies are targets and sources.
struct PairSystem {
    unsigned begin, end; ///< bodies of the system
    unsigned target;     ///< first target of the block
};

/// A PairJob is the job of the kernel. Rows are consecutive doubles of the law's records. Orders
/// give the caller's index of each sorted row; null: rows are sorted. A kernel's argument: a member
/// for each array.
struct PairJob {
    const double *targets, *sources;
    const unsigned *target_order, *source_order;
    unsigned target_count, source_count; ///< with systems, targets fill the blocks
    const PairSystem* systems;           ///< by block; null: all targets see all sources
    int left_out;                        ///< with systems: SmallSystems::left_out
    const TileBox<double>* boxes;        ///< of tiles of 32 sorted sources; null: all may be near
    const PairTileEntry* tiles;          ///< block after block; null: all blocks use all tiles
    const unsigned* tiles_begin;         ///< by block, and the end
    const PairExcluded* excluded;        ///< of each block, sorted by source; null: none
    const unsigned* excluded_begin;      ///< by block, and the end
    const unsigned* self;                ///< by the caller's index of the target; null: none
    Vec3<double> images[27];
    double target_scale[max_law_values], source_scale[max_law_values], sum_scale[max_law_values];
    PartSums parts;
    double* sums; ///< rows by the caller's index
};

} // namespace chamomile
