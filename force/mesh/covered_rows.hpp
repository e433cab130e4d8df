/// \file  The rows of a mesh in slabs that a rank reads and writes outside its slab.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/mesh/grid.hpp"

namespace chamomile {

/// Returns the planes, or rows, of a rank's slab. `ranks`: null for one rank, which has all.
MeshRange slab_of(int n, const Communicator* ranks, int rank);

/// The marks of rows of a mesh of n^3 points, a byte for some adjacent rows of a plane.
struct RowMarks {
    static constexpr int rows_of_mark = 8;
    int n;

    int of_plane() const { return (n + rows_of_mark - 1) / rows_of_mark; }
    std::size_t count() const { return std::size_t(n) * std::size_t(of_plane()); }
};

/// The rows where a rank has particles, outside its slab. Both lists have an entry for each rank,
/// and the same rows in the same order on both sides.
struct CoveredRows {
    /// Finds them from the marks of this rank. Collective.
    static CoveredRows of(int n, std::span<const std::uint8_t> marks, Communicator& ranks);

    std::vector<std::vector<Index>> covered; ///< in the slab of rank r: rows i n + j
    /// Of rank r, in this rank's slab: places (i - first plane) n + j.
    std::vector<std::vector<Index>> shared;
};

} // namespace chamomile
