/// \file  The lists of each block of targets: its tiles, and the pairs that it leaves out.
#pragma once

#include <vector>

#include "chamomile/pairs/pair_solver.hpp"
#include "chamomile/pairs/tile_tree.hpp"

namespace chamomile {

/// Returns the box of rows that begin with a position, in any order.
Box box_of_rows(std::span<const double> rows, int width);

/// Finds the excluded pairs of targets begin .. end - 1, sorted by source. `ranks` are the places
/// of the caller's sources; empty means that they kept their order.
void find_excluded(const PairTask& task, const SortedRows& targets, std::span<const Index> ranks,
                   Index begin, Index end, std::vector<ExcludedPair>& excluded);

/// BlockLists holds the tiles and excluded pairs of blocks of targets.
struct BlockLists {
    std::vector<TileEntry> tiles;
    std::vector<std::uint32_t> tiles_begin; ///< by block, and the end; empty: all see all tiles
    std::vector<ExcludedPair> excluded;
    std::vector<std::uint32_t> excluded_begin;
    std::vector<Vec3<double>> images;
    std::uint64_t pairs = 0; ///< in these tiles

    /// Makes the lists for blocks of `size` targets. Throws Error(input) for 2^32 entries or more.
    void make(const SortedRows& targets, const SortedRows& sources, Index size,
              const PairTask& task, const PairOptions& options);
};

} // namespace chamomile
