/// \file  The grid of friends-of-friends, for host and GPU.
///
/// Contraction: none, so that a GPU finds the host's cells and links.
#pragma once

#include <cstdint>
#include <span>

#include "chamomile/core/box.hpp"
#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// A LinkingGrid divides space into cubes with max side b / sqrt(3), where b is the linking length:
/// two particles of one cell are always linked (Creasey 2018). Cells form rows along z.
struct LinkingGrid {
    using Coordinate = std::int64_t;

    /// Lays the grid over `box`. Throws like friends_of_friends(), with the farthest of `position`.
    LinkingGrid(std::span<const Vec3<double>> position, const Box& box,
                const Periodicity& periodicity, double linking_length);

    Periodicity periodicity;
    Coordinate extent[3] = {}; ///< cells along x, y, z
    Coordinate reach = 0;      ///< max distance of friends, in cells along an axis
    Vec3<double> low;          ///< corner of the first cell
    double side = 0;           ///< of a cell
    double inverse_side = 0;
    double limit = 0; ///< squared linking length

    CHAMOMILE_HD Coordinate along(int axis, double x) const
    {
        const auto cell = Coordinate(x * inverse_side), last = extent[axis] - 1;
        return cell < 0 ? 0 : cell > last ? last : cell;
    }
    CHAMOMILE_HD std::uint64_t row_of(const Vec3<double>& p) const
    {
        return std::uint64_t(along(0, p.x - low.x) * extent[1] + along(1, p.y - low.y));
    }
    /// Returns the number of the cell in the grid: rows ascend in (x, y), cells of a row in z.
    CHAMOMILE_HD std::uint64_t key_of(const Vec3<double>& p) const
    {
        return row_of(p) * std::uint64_t(extent[2]) + std::uint64_t(along(2, p.z - low.z));
    }

    /// Wraps the coordinate into the grid, and sets the shift of the periodic image. Returns false
    /// outside an isolated grid.
    CHAMOMILE_HD bool enter(Coordinate& x, int axis, double& shift) const
    {
        const Coordinate n = extent[axis];
        shift = 0;
        if (x >= 0 && x < n)
            return true;
        shift = x < 0 ? -periodicity.side : periodicity.side;
        x += x < 0 ? n : -n;
        return bool(periodicity);
    }

    CHAMOMILE_HD bool are_friends(const Vec3<double>& p, const Vec3<double>& q) const
    {
        return norm_squared(q - p) <= limit;
    }
    /// Returns false only if no point of the box is a friend of p.
    CHAMOMILE_HD bool is_near(const Box& box, const Vec3<double>& p) const
    {
        return box.distance_squared(p) <= limit * (1 + 1e-9);
    }
};

/// Throws Error(usage) unless friends_of_friends() accepts the number of particles and the linking
/// length; the extent is not checked.
void require_linkable(std::size_t particles, const Periodicity& periodicity, double linking_length);

/// Returns the box around the positions. Throws Error(input) for a non-finite one.
Box finite_box(std::span<const Vec3<double>> position, std::uint64_t first = 0);

} // namespace chamomile
