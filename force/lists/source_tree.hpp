/// \file  The sources of an evaluation in cells, the first of the four objects that turn particles
/// into sums: tree, target groups, lists, sums.
#pragma once

#include <optional>
#include <vector>

#include "chamomile/domain/domain_tree_builder.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/lists/list_solver.hpp"

namespace chamomile {

/// SourceSoftening is the softening of an evaluation.
struct SourceSoftening {
    Softening pair;              ///< of all pairs, or with the largest length of all sources
    std::optional<double> least; ///< the smallest length, if sources have different ones

    Softening varied() const
    {
        Softening softening = pair;
        softening.is_varied = least.has_value();
        return softening;
    }
};

/// SourcesTaken says how a SourceTree takes sources.
struct SourcesTaken {
    SourceSoftening softening;
    std::span<const std::uint64_t> id = {}; ///< by which messages name sources; empty: index
    bool walks = true;            ///< its lists are those of a tree: masses must be 0 or more
    bool sums_any_points = false; ///< direct sums at points that are no sources
};

/// A SourceTree has the sources in cells, by the builder of a host, of a GPU or of several ranks.
/// Where build() or refit() throws there are no sources, until one of them succeeds.
class SourceTree {
public:
    /// Keeps references to the builders.
    explicit SourceTree(const SolverParts& parts);

    /// Sorts the sources into cells and sums moments. Throws Error(input) naming the first value
    /// that is not finite (or mass that is negative, for a tree), Error(device).
    void build(const TreeParticles& sources, const TreePlan& plan, const SourcesTaken& how);
    /// Takes the same number of sources, which have moved: order and cells stay.
    void refit(const TreeParticles& sources, const TreePlan& plan, const SourcesTaken& how);
    /// Forgets sources, but not their cells.
    void clear() { now_.reset(); }

    std::size_t size() const { return now_ ? now_->count : 0; } ///< sources of all ranks
    /// Returns the number of sources, of all ranks, that refit() can take.
    std::size_t in_cells() const { return cells_ ? cells_->count : 0; }
    bool has_kept_cells() const { return now_->has_kept_cells; } ///< those of an earlier build
    bool has_both_signs() const { return now_->has_both_signs; } ///< masses, of a direct sum
    const InternalScale& scale() const { return now_->scale; }
    const TreeParticles& particles() const { return now_->particles; } ///< whose arrays may be gone
    bool has_own_softenings() const
    {
        const TreeParticles& p = particles();
        return p.ranks ? p.ranks->is_varied : bool(p.softening);
    }

    Tree& tree() { return tree_; }
    const Tree& tree() const { return tree_; }
    /// Returns the sources in sorted order, with their numbers, on the host.
    const Octree& octree();
    const Moments& moments(); ///< with the bounds of all cells
    /// Returns the octree whose `order` is on the host.
    const Octree& ordered();
    /// Returns the sorted place of each source.
    std::span<const Index> places();
    Particles all(); ///< in the caller's order; of all ranks

    /// Cuts targets into groups.
    void make_groups(TargetGroups& groups, SourceTargets targets, const GroupSizes& sizes);
    /// Completes the tree for the lists of these groups.
    void finish_nodes(TargetGroups& groups, Profile& profile)
    {
        builder_.finish_nodes(tree_, groups, profile);
    }
    Profile& profile() { return profile_; } ///< seconds of builds and refits
    Profile take_profile() { return std::exchange(profile_, {}); }
    DomainTreeBuilder* domains() const { return domains_; } ///< null: of one rank alone

private:
    /// Cells stay from build to build.
    struct Cells {
        std::size_t count;             ///< of sources
        bool has_order = false;        ///< octree.order is on the host
        std::vector<Index> place = {}; ///< of each source; empty until it is asked for
    };
    /// Sources are taken whole.
    struct Sources {
        TreeParticles particles;
        std::span<const std::uint64_t> id;
        std::size_t count; ///< of all ranks
        bool has_kept_cells;
        bool has_both_signs = false;
        InternalScale scale = {};
        bool has_sources = false, has_bounds = false; ///< that are on the host
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
