/// \file  The builder of one tree over all ranks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/profile.hpp"
#include "chamomile/domain/domain_part.hpp"
#include "chamomile/domain/essential_trees.hpp"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// A DomainTreeBuilder builds the one tree of the particles that all ranks bring. Each rank gets
/// the particles of its domain, which are called arrivals, and makes their cells and groups; cells
/// of other ranks are imported for the lists of its groups (Salmon 1991). Cells, groups and lists
/// are those of one rank alone: a list has the same cells and particles in the same order. In the
/// octree of a rank `order` gives the number of an arrival, and sources of other ranks follow its
/// own. What a rank does alone is done by its DomainPart. All members that change it are called by
/// all ranks together.
class DomainTreeBuilder final : public TreeBuilder {
public:
    DomainTreeBuilder(Communicator& ranks, const std::string& instruction_set,
                      std::unique_ptr<DomainPart> part = make_host_part())
        : ranks_(ranks), part_(std::move(part)), walk_(instruction_set)
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
    /// Imports the cells and particles that the lists of these groups open. Where the criterion
    /// compares with accelerations, what an estimate without other ranks' cells opens comes first;
    /// it is asked for again where that was too little.
    void finish_nodes(Tree& tree, TargetGroups& groups, Profile& profile) override;
    void fetch_order(Octree& octree) override { part_->fetch_order(octree); }
    void fetch_sources(Octree& octree) override { part_->fetch_sources(octree); }
    void fetch_bounds(Moments& moments) override { part_->fetch_bounds(moments); }
    std::pmr::memory_resource* memory() override { return part_->memory(); }

    /// Cuts domains at these shares of the work, from 0 to 1, in place of equal ones.
    void cut_at(std::vector<double> shares) { shares_ = std::move(shares); }

    Communicator& ranks() const { return ranks_; }
    DomainPart& part() const { return *part_; }
    std::size_t total() const { return coarse_.octree.size; } ///< particles of all ranks
    std::size_t targets() const                               ///< of all ranks
    {
        return coarse_.targets_before.empty() ? 0 : coarse_.targets_before.back();
    }
    int partners() const { return questions_.partners; }            ///< ranks that were asked
    std::uint64_t import_bytes() const { return questions_.bytes; } ///< that this rank has sent
    std::size_t held_bytes() const;                                 ///< by this rank

    /// Returns where the rows of each rank's domain begin in DomainPart::leaving().
    std::vector<std::size_t> leaving_begins() const { return part_->leaving_begins(dealt()); }

    /// GatheredParticles are those of all ranks by their numbers, and the numbers of this rank's.
    struct GatheredParticles {
        Particles all;
        std::vector<Index> number;
    };
    /// Returns them on all ranks; `id` has those of this rank's, or none.
    GatheredParticles gather(std::span<const std::uint64_t> id);

private:
    DealtTree dealt() const { return {coarse_, domains_, ranks_.rank()}; }
    std::uint64_t most_in_leaf(const TreePlan& plan, std::uint64_t all) const;
    std::vector<Piece> pieces(const TreePlan& plan) const;
    void finish(Tree& tree, const TreePlan& plan, Profile& profile);
    void find_regions(const TargetGroups& groups);
    void import(Tree& tree, const TreeReach& reach);
    void expect_factors(const TargetGroups& groups);
    bool are_enough(TargetGroups& groups);
    void cut_some(TargetGroups& groups, Tree& tree, const GroupSizes& sizes,
                  std::span<const Piece> pieces);

    Communicator& ranks_;
    std::unique_ptr<DomainPart> part_;
    std::vector<double> shares_;
    bool has_targets_ = false, is_varied_ = false; ///< RowsOfRank
    std::optional<AcceptanceCriterion> criterion_; ///< none of points, which pull at nothing
    CoarseTreeMaker maker_;
    CoarseTree coarse_;
    Domains domains_, built_domains_; ///< of now, and of the build
    Walk walk_;                       ///< for estimates
    Questions questions_;
};

} // namespace chamomile
