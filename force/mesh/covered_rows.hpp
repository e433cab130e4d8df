/// \file  The rows of a mesh in slabs that a rank reads and writes outside its slab.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/mesh/cloud.hpp"
#include "chamomile/force/mesh/grid.hpp"

namespace chamomile {

/// Returns the planes, or rows, of a rank's slab. `ranks`: null for one rank, which has all.
MeshRange slab_of(int n, const Communicator* ranks, int rank);

/// A RowMarks numbers the marks of a mesh of n^3 points. A mark is a byte for some adjacent rows of
/// one plane. A particle sets marks in the first plane of its cloud only; CoveredRows::of() repeats
/// them in the other planes.
struct RowMarks {
    static constexpr int rows_of_mark = 8;
    int n;
    int width; ///< points of a cloud and its two equal margins, along an axis

    CHAMOMILE_HD int of_plane() const { return (n + rows_of_mark - 1) / rows_of_mark; }
    CHAMOMILE_HD std::size_t count() const { return std::size_t(n) * std::size_t(of_plane()); }

    /// Calls use(mark) for the rows of a cloud at (x, y), in cells, in the first of its planes.
    template <int points, class Use>
    CHAMOMILE_HD void for_first_plane(double x, double y, const Use& use) const
    {
        const int margin = (width - points) / 2, first_x = cloud_at<points>(x).first - margin,
                  first_y = cloud_at<points>(y).first - margin;
        const std::size_t plane = std::size_t(wrapped(first_x)) * std::size_t(of_plane());
        int j = wrapped(first_y);
        for (int rows = width; rows > 0;) {
            const int mark = j / rows_of_mark, end = (mark + 1) * rows_of_mark,
                      next = end < n ? end : n;
            use(plane + std::size_t(mark));
            rows -= next - j;
            j = next < n ? next : 0;
        }
    }

private:
    CHAMOMILE_HD int wrapped(int i) const { return i < 0 ? i + n : i >= n ? i - n : i; }
};

/// Marks on the host, not 0 if set.
struct MarkedRows {
    RowMarks of;
    std::vector<std::uint8_t> marks = std::vector<std::uint8_t>(of.count());
};

/// The rows where a rank has particles, outside its slab. Both lists have an entry for each rank,
/// and the same rows in the same order on both sides.
struct CoveredRows {
    /// Finds them from the marks of this rank's clouds. Collective.
    static CoveredRows of(const RowMarks& rows, std::span<const std::uint8_t> marks,
                          Communicator& ranks);

    std::vector<std::vector<Index>> covered; ///< in the slab of rank r: rows i n + j
    /// Of rank r, in this rank's slab: places (i - first plane) n + j.
    std::vector<std::vector<Index>> shared;
};

} // namespace chamomile
