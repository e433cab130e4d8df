/// \file  One tree of the particles of all ranks, of which each rank has its part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/profile.hpp"
#include "chamomile/domain/forest.hpp"
#include "chamomile/domain/rank_rows.hpp"

namespace chamomile {

/// A DomainTreeBuilder builds the one tree of the particles that all ranks bring. Each rank gets
/// the particles of its domain, which are called arrivals, and makes their cells and groups; cells
/// of other ranks are imported for the lists of its groups (Salmon 1991). Cells, groups and lists
/// are those of one rank alone: a list has the same cells and particles in the same order. In the
/// octree of a rank `order` gives the number of an arrival, and sources of other ranks follow its
/// own. All members that change it are called by all ranks together.
class DomainTreeBuilder final : public TreeBuilder {
public:
    DomainTreeBuilder(Communicator& ranks, const std::string& instruction_set)
        : ranks_(ranks), walk_(instruction_set)
    {}
    DomainTreeBuilder(const DomainTreeBuilder&) = delete;
    DomainTreeBuilder& operator=(const DomainTreeBuilder&) = delete;

    /// Throws the same Error(input) on all ranks if a position or mass is not finite or a mass is
    /// negative, and Error(input) if there are too many particles.
    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override;
    /// Takes the same particles, which have moved. Targets may be others, and domains are those of
    /// the build but for leaves at their ends. Throws as build().
    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override;
    /// Cuts the groups of this rank's arrivals that RowsOfRank names as targets.
    void make_groups(TargetGroups& groups, Tree& tree, const SourceTargets&,
                     const GroupSizes& sizes) override;
    /// Imports the cells and particles that the lists of these groups open, and before that, where
    /// the criterion compares with accelerations, what the estimates of these open.
    void finish_nodes(Tree& tree, const TargetGroups& groups, Profile& profile) override;
    std::pmr::memory_resource* memory() override { return large_memory(); }

    /// Cuts domains at these shares of the work, from 0 to 1, in place of equal ones.
    void cut_at(std::vector<double> shares) { shares_ = std::move(shares); }

    Communicator& ranks() const { return ranks_; }
    std::size_t total() const { return coarse_.octree.size; } ///< particles of all ranks
    std::size_t targets() const                               ///< of all ranks
    {
        return coarse_.targets_before.empty() ? 0 : coarse_.targets_before.back();
    }
    std::size_t size() const { return arrivals_.size(); } ///< arrivals of this rank
    /// Returns the arrivals that are targets, in their order; none if all are.
    std::span<const Index> active() const { return arrivals_.targets(); }
    bool has_targets() const { return rows().has_targets; } ///< false: all are targets
    const Octree& own() const { return local_.octree; }     ///< arrivals and their cells
    const EssentialTrees& essential() const { return essential_; }
    std::uint64_t import_bytes() const { return import_bytes_; } ///< that this rank has sent
    std::size_t held_bytes() const;                              ///< by this rank

    /// Returns this rank's particles in the order of the tree, and where those of each rank's
    /// domain begin, with their number after them.
    std::span<const Index> leaving() const { return sorted_.order; }
    std::vector<std::size_t> leaving_begins() const
    {
        return begins_of_ranks(sorted_, coarse_, domains_);
    }

    /// Brings values of each arrival that is a target to the rank that has the particle, and the
    /// work that each took, by which the next domains are cut.
    template <class... Columns>
    void send_home(std::span<const float> work, const Columns&... columns)
    {
        const std::span<float> of_rows = make_room_for_work(work);
        const auto store = [of_rows](std::size_t i, float value) { of_rows[i] = value; };
        arrivals_.send_home(sorted_, ranks_, columns...,
                            HomeColumn<float, decltype(store)>{work, store});
    }

    /// GatheredParticles are those of all ranks by their numbers, and the numbers of this rank's.
    struct GatheredParticles {
        Particles all;
        std::vector<Index> number;
    };
    /// Returns them on all ranks; `id` has those of this rank's, or none.
    GatheredParticles gather(std::span<const std::uint64_t> id);

private:
    std::span<float> make_room_for_work(std::span<const float> arrivals);
    std::uint64_t most_in_leaf(const TreePlan& plan, std::uint64_t all) const;
    std::vector<Piece> pieces(const TreePlan& plan) const;
    void make_local(const TreePlan& plan, Profile& profile);
    void finish(Tree& tree, const TreePlan& plan, Profile& profile);
    std::vector<Cell> own_leaves() const;
    std::vector<Region> regions(const TargetGroups& groups) const;
    const Rows& rows() const { return rows_.now(); }

    Communicator& ranks_;
    RankRows rows_;
    std::vector<double> shares_;
    std::optional<AcceptanceCriterion> criterion_; ///< none of points, which pull at nothing
    RootCube cube_;
    KeyedRows sorted_;
    CoarseTreeMaker maker_;
    CoarseTree coarse_;
    Domains domains_, built_domains_; ///< of now, and of the build
    Arrivals arrivals_;
    LocalTrees local_;
    EssentialTrees essential_;
    Forest forest_;
    Walk walk_; ///< for estimates
    std::uint64_t import_bytes_ = 0;
};

} // namespace chamomile
