/// \file  A search for the tiles of sources that a group of targets sees: all, or those within a
/// cut-off.
#pragma once

#include <limits>
#include <vector>

#include "chamomile/pairs/simd/group_work.hpp"
#include "chamomile/pairs/sorted_rows.hpp"

namespace chamomile {

/// A TileTree holds the boxes of tiles of consecutive sorted sources, then of eight such boxes, and
/// so on: the tree that sorting by keys implies. With periods it is seen in up to 27 images.
class TileTree {
public:
    /// A Reach tells how far a group sees.
    struct SearchRadii {
        double cutoff = std::numeric_limits<double>::infinity();
        double near = 0; ///< tiles within it of the group's box are near; negative: none
    };

    /// Builds the tree; `period` has the sides of the periodic box, 0 for none along that axis.
    void build(const SortedRows& sources, const Vec3<double>& period);

    /// Appends the tiles that hold a source within the cut-off of the group's box, and perhaps some
    /// beyond, ascending in each image.
    void list(const Box& group, const SearchRadii& radii, std::vector<TileEntry>& near,
              std::vector<TileEntry>& far) const;

    const std::vector<Vec3<double>>& images() const { return images_; }
    const std::vector<Box>& tiles() const { return levels_.front(); }

private:
    static constexpr std::size_t daughters = 8;

    std::vector<std::vector<Box>> levels_; // tiles first, one box last
    std::vector<Vec3<double>> images_;     // the sources themselves first
};

/// Returns the square of the distance between two boxes; it is 0 if they overlap.
double distance_squared(const Box& a, const Box& b);

} // namespace chamomile
