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

/// The octree with its moments and nodes, for making lists.
struct Tree {
    explicit Tree(std::pmr::memory_resource* memory)
        : octree(memory), moments(memory), nodes(memory)
    {}

    Octree octree;
    Moments moments;
    WalkNodes nodes;
};

/// What a tree over several ranks needs to know of this rank's particles (rows).
struct RowsOfRank {
    /// Number of each particle among all ranks, to order particles with equal keys. Empty:
    /// particles of rank 0 come first, then of rank 1.
    std::span<const GlobalIndex> number = {};
    std::uint64_t first = 0;             ///< number of the first particle, without `number`
    std::uint64_t arrangement = 0;       ///< GlobalCounts::arrangement
    bool has_targets = false;            ///< false: every particle is a target
    std::span<const Index> targets = {}; ///< of this rank, by rising index, with has_targets
    /// On a device: particles at rung `first_rung` or above are targets.
    const std::uint8_t* rung = nullptr;
    int first_rung = 0;
    bool per_particle = false; ///< particles on some rank have per-particle softening
    Periodicity box = {};      ///< TreePlan::periodicity
};

/// Particles as the caller holds them, on the host or the builder's device.
struct TreeParticles {
    std::size_t count = 0;
    ArrayView position;  ///< 3 components
    ArrayView mass = {}; ///< empty: all 1
    /// Masses and softening lengths, if any, equal those of the last build() or refit().
    bool has_same_masses = false;
    ArrayView softening = {};             ///< per-particle softening lengths; empty: one length
    double longest_softening = HUGE_VAL;  ///< upper limit for softening lengths
    std::optional<RowsOfRank> ranks = {}; ///< set for a builder of several ranks
    const char* word = "particle";        ///< for one of them in errors
};

/// Returns arrays of TreeParticles as dense doubles: the caller's array if it is dense, else a copy
/// that lasts until the next call.
class DenseCopy {
public:
    std::span<const Vec3<double>> positions(const TreeParticles& particles);
    std::span<const double> masses(const TreeParticles& particles);
    std::span<const double> softenings(const TreeParticles& particles);

private:
    std::vector<Vec3<double>> positions_;
    std::vector<double> masses_, softenings_;
};

/// Fills octree.softening with squared per-particle softening lengths, in sorted order. Leaves it
/// empty if all particles share one length.
void set_softenings(Octree& octree, const TreeParticles& particles);

/// What a tree is built for.
struct TreePlan {
    int leaf_size;
    /// Sizes for cutting groups. A builder may omit multipoles below a cell that fits a cluster,
    /// and bounds below a cell that fits a group.
    GroupSizes groups;
    /// Targets will be all particles, or those at or above a rung. A builder that cuts groups on
    /// its device may then omit all moments except the root's.
    bool has_no_listed_targets = false;
    std::optional<AcceptanceCriterion> criterion = {}; ///< none: the tree is not walked
    CubePlacement placement = {};
    /// refit() uses the periodic image of each particle nearest to its previous position, so that
    /// cells stay small when particles leave the box.
    Periodicity periodicity = {};
};

/// Which particles of the tree are targets.
struct SourceTargets {
    std::span<const Index> active = {}; ///< the caller's indices; empty: all
    std::span<const Index> place = {};  ///< sorted place of each source; empty: by octree.order
    const std::uint8_t* rung = nullptr; ///< on a device: targets have rung `first` or above
    int first = 0;
};

/// A TreeBuilder sorts particles, divides them into cells and sums the cells' moments, on the host
/// or with a device. All builders give the same tree, bit for bit.
class TreeBuilder {
public:
    virtual ~TreeBuilder() = default;

    /// Fills octree and moments of a tree made with memory(). Adds the time of each phase to the
    /// profile. `sources` and `order` may stay with the builder until fetched. Throws Error(input)
    /// if a position is not finite.
    virtual void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                       Profile& profile) = 0;

    /// Updates the tree for the same particles at new positions: keeps order and cells from
    /// build(), and sums the moments again. A non-finite position enters the root's moments.
    virtual void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
                       Profile& profile) = 0;

    /// Finds targets among the particles of the last tree and cuts them into groups.
    virtual void make_groups(TargetGroups& groups, Tree& tree, const SourceTargets& targets,
                             const GroupSizes& sizes);

    /// Begins finish_nodes(), which must follow. AcceptanceCriterion::min_acceleration may still be
    /// that of an earlier evaluation.
    virtual void start_nodes(Tree&, TargetGroups&, Profile&) {}
    /// Fills the nodes of the last tree for the lists of `groups`, which may belong to another
    /// tree. The plan must have a criterion.
    virtual void finish_nodes(Tree& tree, TargetGroups& groups, Profile& profile) = 0;

    /// Ensures that the last build's octree.order is on the host.
    virtual void fetch_order(Octree&) {}
    /// Ensures that the octree.sources of the last build or refit are on the host.
    virtual void fetch_sources(Octree&) {}
    /// Ensures that the bounds of every cell are on the host, including omitted ones (TreePlan).
    virtual void fetch_bounds(Moments&) {}
    /// Selects as targets the particles at or above a rung, from rungs on the builder's device.
    virtual void find_targets(TargetGroups&, const std::uint8_t*, int) {}
    /// Like find_softenings(), but octree.softening may be on the device.
    virtual void find_softenings(TargetGroups& groups, const Octree& octree)
    {
        chamomile::find_softenings(groups, octree.softening);
    }
    /// Like find_boxes(), but octree.sources may be on the device.
    virtual void find_boxes(TargetGroups& groups, const Octree& octree, double longest_side)
    {
        chamomile::find_boxes(groups, octree, longest_side);
    }

    /// Returns the memory for trees that this builder fills.
    virtual std::pmr::memory_resource* memory() { return std::pmr::get_default_resource(); }
};

/// Returns a builder that uses all host threads.
std::unique_ptr<TreeBuilder> make_host_tree_builder();

} // namespace chamomile
