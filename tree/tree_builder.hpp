/// \file  Who builds the tree: order, cells, moments.
#pragma once

#include <memory>
#include <memory_resource>
#include <span>

#include "core/profile.hpp"
#include "tree/moments.hpp"

namespace chamomile {

/// Sorts particles, divides them into cells and sums the moments of each, on the host or with the
/// help of a device. All builders give the same cells.
class TreeBuilder {
public:
    virtual ~TreeBuilder() = default;

    /// Fills octree and moments, both made with memory(), and adds the time of each phase to the
    /// profile. `sources` and `order` of the octree may stay with the builder until fetch_order().
    /// Throws Error(input) if a position is not finite.
    virtual void build(Octree& octree, Moments& moments, std::span<const Vec3<double>> positions,
                       std::span<const double> masses, int leaf_size, Profile& profile) = 0;

    /// Makes sure that octree.order and octree.sources of the last build are there.
    virtual void fetch_order(Octree&) {}

    /// Where the cells and moments that this builder fills should lie.
    virtual std::pmr::memory_resource* memory() { return std::pmr::get_default_resource(); }
};

/// Builds with all host threads.
std::unique_ptr<TreeBuilder> make_host_tree_builder();

} // namespace chamomile
