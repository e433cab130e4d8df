/// \file  Particles in the cells of a grid for friends-of-friends.
#pragma once

#include <vector>

#include "chamomile/analysis/halos/linking_grid.hpp"
#include "chamomile/core/large_memory.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {

/// LinkingCells holds particles in the cells of a grid. Only non-empty cells are stored, in rows
/// along z: rows ascend in (x, y), cells of a row in z.
class LinkingCells : public LinkingGrid {
public:
    /// Sorts the particles into cells. Throws like friends_of_friends().
    LinkingCells(std::span<const Vec3<double>> position, const Periodicity& box,
                 double linking_length);

    std::size_t cells() const { return z.size(); }
    std::size_t rows() const { return row.size(); }

    UnsetArray<Index> order;            ///< particles by cell, ascending within a cell
    UnsetArray<Vec3<double>> place;     ///< of order[k], wrapped into the cube
    UnsetArray<std::uint64_t> row;      ///< x extent[1] + y of each row
    UnsetArray<std::uint32_t> row_cell; ///< first cell of each row, and the end
    UnsetArray<std::uint32_t> z;        ///< of each cell
    UnsetArray<std::uint32_t> first;    ///< index in `order` per cell, and the end

private:
    void sort(std::span<const Vec3<double>> position);
    void find_cells();

    std::vector<std::size_t> bucket_; ///< start of each range of rows, and the end
};

} // namespace chamomile
