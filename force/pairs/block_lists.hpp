/// \file  Lists for each block of targets: its tiles, and its excluded pairs.
#pragma once

#include <vector>

#include "chamomile/force/pairs/pair_solver.hpp"
#include "chamomile/force/pairs/tile_tree.hpp"

namespace chamomile {

/// Returns the bounding box of rows, each of which begins with a position.
Box box_of_rows(std::span<const double> rows, int width);

/// Finds the excluded pairs for targets begin .. end - 1, sorted by source. `ranks`: sorted place
/// of each caller's source; empty: same order.
void find_excluded(const PairTask& task, const SortedRows& targets, std::span<const Index> ranks,
                   Index begin, Index end, std::vector<ExcludedPair>& excluded);

/// Tiles and excluded pairs for blocks of targets.
struct BlockLists {
    std::vector<TileEntry> tiles;
    std::vector<std::uint32_t> tiles_begin; ///< per block, and the end; empty: all tiles for all
    std::vector<ExcludedPair> excluded;
    std::vector<std::uint32_t> excluded_begin;
    std::vector<Vec3<double>> images;
    std::uint64_t pairs = 0; ///< in `tiles`

    /// Makes lists for blocks of `size` targets. Throws Error(input) for 2^32 entries or more.
    void make(const SortedRows& targets, const SortedRows& sources, Index size,
              const PairTask& task, const PairOptions& options);
};

} // namespace chamomile
