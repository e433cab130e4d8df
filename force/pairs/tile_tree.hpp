/// \file  Finds the source tiles that a group of targets sees: all, or those within a cut-off.
#pragma once

#include <limits>
#include <vector>

#include "chamomile/force/pairs/simd/group_work.hpp"
#include "chamomile/force/pairs/sorted_rows.hpp"

namespace chamomile {

/// Boxes around tiles of consecutive sorted sources, then around eight such boxes, and so on: the
/// tree implied by sorting. With periods there are up to 27 images.
class TileTree {
public:
    /// Search radii around a group's box.
    struct SearchRadii {
        double cutoff = std::numeric_limits<double>::infinity();
        double near = 0; ///< tiles within it are near; negative: none
    };

    /// Builds the tree. `period`: sides of the periodic box, 0 along a non-periodic axis.
    void build(const SortedRows& sources, const Vec3<double>& period);

    /// Appends tiles whose box is within the cut-off of the group's box, ascending in each image.
    void list(const Box& group, const SearchRadii& radii, std::vector<TileEntry>& near,
              std::vector<TileEntry>& far) const;

    const std::vector<Vec3<double>>& images() const { return images_; }
    const std::vector<Box>& tiles() const { return levels_.front(); }

private:
    static constexpr std::size_t daughters = 8;

    std::vector<std::vector<Box>> levels_; // tiles first, one box last
    std::vector<Vec3<double>> images_;     // unshifted sources first
};

/// Returns the squared distance between two boxes; 0 if they overlap.
double distance_squared(const Box& a, const Box& b);

} // namespace chamomile
