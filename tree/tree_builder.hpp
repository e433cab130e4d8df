/// \file  Building the tree: order, cells, moments, nodes.
#pragma once

#include <cmath>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/walk_nodes.hpp"

namespace chamomile {

/// A Tree holds the octree with its moments and nodes, from which lists are made.
struct Tree {
    explicit Tree(std::pmr::memory_resource* memory)
        : octree(memory), moments(memory), nodes(memory)
    {}

    Octree octree;
    Moments moments;
    WalkNodes nodes;
};

/// RowsOfRank says what belongs to the particles that one rank of several brings to their tree.
struct RowsOfRank {
    /// Numbers among those of all ranks, by which particles of equal keys follow each other; empty:
    /// rank 0's come first, then rank 1's. Ranks have numbers once they have exchanged particles.
    std::span<const Index> number = {};
    std::uint64_t exchanges = 0;         ///< of particles between ranks, so far
    bool has_targets = false;            ///< false: every particle is a target
    std::span<const Index> targets = {}; ///< of this rank, by rising index, with has_targets
    /// On a device: targets are those of at least the rung `first_rung`.
    const std::uint8_t* rung = nullptr;
    int first_rung = 0;
    bool is_varied = false; ///< particles of some rank have per-particle softening
};

/// TreeParticles are particles as the caller holds them, on the host or the builder's device.
struct TreeParticles {
    std::size_t count = 0;
    ArrayView position;  ///< 3 components
    ArrayView mass = {}; ///< empty: all 1
    /// The masses, and the softening lengths if there are any, are those of the last build() or
    /// refit().
    bool has_same_masses = false;
    ArrayView softening = {};             ///< per-particle softening lengths; empty: one length
    double longest_softening = HUGE_VAL;  ///< to which they are cut
    std::optional<RowsOfRank> ranks = {}; ///< set for a builder of several ranks
};

/// A DenseCopy gives the arrays of TreeParticles where they lie if they are dense doubles, or a
/// copy, which it keeps until the next call.
class DenseCopy {
public:
    std::span<const Vec3<double>> positions(const TreeParticles& particles);
    std::span<const double> masses(const TreeParticles& particles);
    std::span<const double> softenings(const TreeParticles& particles);

private:
    std::vector<Vec3<double>> positions_;
    std::vector<double> masses_, softenings_;
};

/// Fills octree.softening with the squares of the particles' lengths, in sorted order, where they
/// have lengths of their own; else it is empty.
void take_softenings(Octree& octree, const TreeParticles& particles);

/// A TreePlan states what a tree is built for.
struct TreePlan {
    int leaf_size;
    /// By these groups will be cut. A builder may leave out the multipoles of cells in a cell that
    /// is small enough for a cluster, and the bounds of those in one that is for a group.
    GroupSizes groups;
    /// All particles will be targets: a builder that cuts their groups where the tree is may leave
    /// out the moments of all cells but the root.
    bool all_are_targets = false;
    std::optional<AcceptanceCriterion> criterion = {}; ///< none: the tree is not walked
    CubePlacement placement = {};
    /// refit() takes the image of each particle that is nearest to its last place, so that cells
    /// stay small where particles leave the box.
    Periodicity periodicity = {};
};

/// SourceTargets are targets that are sources.
struct SourceTargets {
    std::span<const Index> active = {}; ///< the caller's numbers; empty: all
    std::span<const Index> place = {};  ///< sorted place of each source, where order is of no use
    const std::uint8_t* rung = nullptr; ///< on a device: targets are those of at least `first`
    int first = 0;
};

/// A TreeBuilder sorts particles, divides them into cells and sums the moments of each, on the host
/// or with the help of a device. All builders give the same tree, bit for bit.
class TreeBuilder {
public:
    virtual ~TreeBuilder() = default;

    /// Fills octree and moments of a tree made with memory(), and adds the time of each phase to
    /// the profile. `sources` and `order` of the octree may stay with the builder until
    /// they are fetched. Throws Error(input) if a position is not finite.
    virtual void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                       Profile& profile) = 0;

    /// Updates the tree for the same particles at new positions: order and cells stay as build()
    /// left them, and the moments are summed anew. A position that is not finite enters the root's
    /// centre of mass.
    virtual void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                       Profile& profile) = 0;

    /// Finds targets among the particles of the last tree and cuts them into groups.
    virtual void make_groups(TargetGroups& groups, Tree& tree, const SourceTargets& targets,
                             const GroupSizes& sizes);

    /// Fills the nodes of the last tree, whose plan has a criterion, for the lists of these groups,
    /// which may be those of another tree.
    virtual void finish_nodes(Tree& tree, TargetGroups& groups, Profile& profile) = 0;

    /// Ensures that octree.order of the last build is on the host.
    virtual void fetch_order(Octree&) {}
    /// Ensures that octree.sources of the last build or refit are on the host.
    virtual void fetch_sources(Octree&) {}
    /// Ensures that the bounds of all cells are on the host, also those that the plan leaves out.
    virtual void fetch_bounds(Moments&) {}
    /// Finds as targets the particles of at least the given level, from levels on the builder's
    /// device.
    virtual void find_targets(TargetGroups&, const std::uint8_t*, int) {}
    /// Calls find_softenings() where octree.softening may not be on the host.
    virtual void find_softenings(TargetGroups& groups, const Octree& octree)
    {
        chamomile::find_softenings(groups, octree.softening);
    }
    /// Calls find_boxes() where octree.sources may not be on the host.
    virtual void find_boxes(TargetGroups& groups, const Octree& octree, double longest_side)
    {
        chamomile::find_boxes(groups, octree, longest_side);
    }

    /// Returns the memory for the trees that this builder fills.
    virtual std::pmr::memory_resource* memory() { return std::pmr::get_default_resource(); }
};

/// Returns a builder that uses all host threads.
std::unique_ptr<TreeBuilder> make_host_tree_builder();

} // namespace chamomile
