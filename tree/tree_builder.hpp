/// \file  Who builds the tree: order, cells, moments, nodes.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/walk_nodes.hpp"

namespace chamomile {

/// The particles in cells, and all that lists are made from.
struct Tree {
    explicit Tree(std::pmr::memory_resource* memory)
        : octree(memory), moments(memory), nodes(memory)
    {}

    Octree octree;
    Moments moments;
    WalkNodes nodes;
};

/// Particles as the caller holds them, on the host or the builder's device.
struct TreeParticles {
    std::size_t count = 0;
    ArrayView position;           ///< 3 components
    ArrayView mass = {};          ///< empty: all 1
    bool has_same_masses = false; ///< as at the last build() or refit()
};

/// What a tree is built for.
struct TreePlan {
    int leaf_size;
    /// The builder may leave out the multipoles of cells whose mother holds no more particles in
    /// a box whose sides are no longer than longest_cluster.
    Index cluster_size;
    std::optional<AcceptanceCriterion> criterion; ///< none: nobody walks
    CubePlacement placement = {};
    double longest_cluster = Box::infinity;
    /// refit() takes each particle's image that is nearest to its last place, so that cells stay
    /// small where particles leave by a side.
    Periodicity periodicity = {};
};

/// Sorts particles, divides them into cells and sums the moments of each, on the host or with the
/// help of a device. All builders give the same tree, bit for bit.
class TreeBuilder {
public:
    virtual ~TreeBuilder() = default;

    /// Fills octree and moments of a tree made with memory(), and adds the time of each phase to
    /// the profile. `sources` and `order` of the octree may stay with the builder until
    /// they are fetched. Throws Error(input) if a position is not finite.
    virtual void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                       Profile& profile) = 0;

    /// The same particles moved: order and cells stay as build() left them, and the moments are
    /// summed anew. A position that is not finite gets into the root's centre of mass.
    virtual void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                       Profile& profile) = 0;

    /// Fills the nodes of the last tree, whose plan has a criterion.
    virtual void finish_nodes(Tree& tree) = 0;

    /// Makes sure that octree.order of the last build is there.
    virtual void fetch_order(Octree&) {}
    /// Makes sure that octree.sources of the last build or refit are there.
    virtual void fetch_sources(Octree&) {}
    /// find_targets() of the particles of at least that level, by levels on the builder's device.
    virtual void find_targets(TargetGroups&, const std::uint8_t*, int) {}
    /// find_boxes() where octree.sources may not be there.
    virtual void find_boxes(TargetGroups& groups, const Octree& octree, double longest_side)
    {
        chamomile::find_boxes(groups, octree, longest_side);
    }

    /// Where the tree that this builder fills should lie.
    virtual std::pmr::memory_resource* memory() { return std::pmr::get_default_resource(); }
};

/// Builds with all host threads.
std::unique_ptr<TreeBuilder> make_host_tree_builder();

} // namespace chamomile
