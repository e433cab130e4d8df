/// \file  A grid of cells for friends-of-friends: any two particles of a cell are friends.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// LinkingCells is a grid of cubes with max side b / sqrt(3), where b is the linking length: two
/// particles of one cell are always linked (Creasey 2018). Only non-empty cells are stored, in rows
/// along z: rows ascend in (x, y), cells of a row in z.
class LinkingCells {
public:
    using Coordinate = std::int64_t;

    /// Sorts the particles into cells. Throws like friends_of_friends().
    LinkingCells(std::span<const Vec3<double>> position, const Periodicity& periodicity,
                 double linking_length);

    std::size_t cells() const { return z.size(); }
    std::size_t rows() const { return row.size(); }

    std::array<Coordinate, 3> extent{}; ///< cells along x, y, z
    Coordinate reach = 0;               ///< max distance of friends, in cells along an axis
    Vec3<double> low;                   ///< corner of the first cell
    double side = 0;                    ///< of a cell

    std::vector<Index> order;            ///< particles by cell, ascending within a cell
    std::vector<Vec3<double>> place;     ///< of order[k], wrapped into the cube
    std::vector<std::uint64_t> row;      ///< x extent[1] + y of each row
    std::vector<std::uint32_t> row_cell; ///< first cell of each row, and the end
    std::vector<std::uint32_t> z;        ///< of each cell
    std::vector<std::uint32_t> first;    ///< index in `order` per cell, and the end

private:
    void lay_grid(std::span<const Vec3<double>> position, double linking_length);
    void sort(std::span<const Vec3<double>> position);
    void find_cells();
    Coordinate along(int axis, double x) const;
    std::uint64_t row_of(const Vec3<double>& p) const;
    std::uint64_t key_of(const Vec3<double>& p) const;

    Periodicity periodicity_;
    double inverse_side_ = 0;
    std::uint64_t rows_in_bucket_ = 1;
    std::vector<std::uint32_t> bucket_; ///< start of each range of rows, and the end
};

} // namespace chamomile
