/// \file  The sources in cells: the first of the four objects between particles and sums (tree,
/// target groups, lists, sums).
#pragma once

#include <optional>
#include <vector>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/tree/domain/domain_tree_builder.hpp"

namespace chamomile {

/// Softening in one evaluation.
struct SourceSoftening {
    Softening pair;            ///< for all pairs, or with the max length over sources
    std::optional<double> min; ///< the min length, if sources differ

    Softening in_force() const
    {
        Softening softening = pair;
        softening.per_particle = min.has_value();
        return softening;
    }
};

/// SourcesTaken says how a SourceTree treats sources.
struct SourcesTaken {
    SourceSoftening softening;
    std::span<const std::uint64_t> id = {}; ///< source ids for messages; empty: index
    bool walks = true;            ///< lists come from a tree walk: masses must be 0 or more
    bool sums_any_points = false; ///< direct sums at points other than sources
};

/// Sources sorted into cells, by the builder for a host, a GPU or several ranks. After an exception
/// in build() or refit() there are no sources.
class SourceTree {
public:
    /// Keeps references to the builders.
    explicit SourceTree(const SolverParts& parts);

    /// Sorts the sources into cells and sums moments. Throws Error(input) naming the first
    /// non-finite value (or, for a tree, negative mass), Error(device).
    void build(const TreeParticles& sources, const TreePlan& plan, const SourcesTaken& how);
    /// Accepts the same number of moved sources; keeps their order and cells.
    void refit(const TreeParticles& sources, const TreePlan& plan, const SourcesTaken& how);
    /// Forgets the sources, but not their cells.
    void clear() { now_.reset(); }

    std::size_t size() const { return now_ ? now_->count : 0; } ///< sources on all ranks
    /// Returns the number of sources, on all ranks, that refit() accepts.
    std::size_t in_cells() const { return cells_ ? cells_->count : 0; }
    bool has_kept_cells() const { return now_->has_kept_cells; } ///< from an earlier build
    bool has_both_signs() const { return now_->has_both_signs; } ///< of masses, in a direct sum
    const InternalScale& scale() const { return now_->scale; }
    const TreeParticles& particles() const { return now_->particles; } ///< the arrays may be gone
    bool has_own_softenings() const
    {
        const TreeParticles& p = particles();
        return p.ranks ? p.ranks->per_particle : bool(p.softening);
    }

    Tree& tree() { return tree_; }
    const Tree& tree() const { return tree_; }
    /// Returns the sorted sources, with their indices, on the host.
    const Octree& octree();
    const Moments& moments(); ///< with bounds of all cells
    /// Returns the octree with `order` on the host.
    const Octree& ordered();
    /// Returns the sorted place of each source.
    std::span<const Index> places();
    Particles all(); ///< in the caller's order; on all ranks

    /// Cuts targets into groups.
    void make_groups(TargetGroups& groups, SourceTargets targets, const GroupSizes& sizes);
    /// Complete the tree for these groups' lists, in two calls.
    void start_nodes(TargetGroups& groups, Profile& profile)
    {
        builder_.start_nodes(tree_, groups, profile);
    }
    void finish_nodes(TargetGroups& groups, Profile& profile)
    {
        builder_.finish_nodes(tree_, groups, profile);
    }
    Profile& profile() { return profile_; } ///< seconds of builds and refits
    Profile consume_profile() { return std::exchange(profile_, {}); }
    DomainTreeBuilder* domains() const { return domains_; } ///< null with one rank

private:
    /// Kept between builds.
    struct Cells {
        std::size_t count;             ///< number of sources
        bool has_order = false;        ///< octree.order is on the host
        std::vector<Index> place = {}; ///< per source; empty until needed
    };
    /// Replaced by each build or refit.
    struct Sources {
        TreeParticles particles;
        std::span<const std::uint64_t> id;
        std::size_t count; ///< on all ranks
        bool has_kept_cells;
        bool has_both_signs = false;
        InternalScale scale = {};
        bool has_sources = false, has_bounds = false; ///< on the host
    };

    void finish(const TreeParticles& sources, const SourcesTaken& how, bool has_kept_cells);
    double find_mass(const SourcesTaken& how);

    TreeBuilder& builder_;
    DomainTreeBuilder* domains_;
    Tree tree_;
    std::optional<Cells> cells_;
    std::optional<Sources> now_;
    Profile profile_;
};

} // namespace chamomile
