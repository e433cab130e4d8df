/// \file  The builder of one global tree over all ranks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/profile.hpp"
#include "chamomile/tree/domain/domain_part.hpp"
#include "chamomile/tree/domain/exported_cells.hpp"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// A DomainTreeBuilder builds one global tree of the particles on all ranks. Each rank receives the
/// particles in its domain, called arrivals, makes their cells and groups, and imports the remote
/// cells that its lists need (Salmon 1991). Cells, groups and lists equal those of a single rank:
/// each list holds the same cells and particles in the same order. In a rank's octree, `order`
/// holds arrival indices, and imported sources follow the local ones. A DomainPart does the local
/// work. Every non-const member is collective.
class DomainTreeBuilder final : public TreeBuilder {
public:
    DomainTreeBuilder(Communicator& ranks, const std::string& instruction_set,
                      std::unique_ptr<DomainPart> part = make_host_part())
        : ranks_(ranks), part_(std::move(part)), walk_(instruction_set)
    {}
    DomainTreeBuilder(const DomainTreeBuilder&) = delete;
    DomainTreeBuilder& operator=(const DomainTreeBuilder&) = delete;

    /// Throws the same Error(input) on all ranks if a position is not finite or a mass is negative
    /// or not finite, or a rank has too many particles.
    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override;
    /// Updates the tree for the same particles at new positions. Targets may differ; domains change
    /// only by leaves at their ends. Throws like build() if a position or mass enters the moments
    /// of the root; another refit() may follow.
    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override;
    /// Cuts groups of the local arrivals that RowsOfRank names as targets.
    void make_groups(TargetGroups& groups, Tree& tree, const SourceTargets&,
                     const GroupSizes& sizes) override;
    /// Sets AcceptanceCriterion::min_acceleration. Until then, also in start_nodes(), the value of
    /// the plan is used.
    void set_min_acceleration(double acceleration)
    {
        if (criterion_)
            criterion_->min_acceleration = acceleration;
    }
    /// Imports the cells and particles that the lists of these groups open. If the criterion
    /// compares with accelerations, this import relies on estimates from local cells and the
    /// coarse tree.
    void start_nodes(Tree& tree, TargetGroups& groups, Profile& profile) override;
    /// Imports again if the first import was not enough.
    void finish_nodes(Tree& tree, TargetGroups& groups, Profile& profile) override;
    void fetch_order(Octree& octree) override { part_->fetch_order(octree); }
    void fetch_sources(Octree& octree) override { part_->fetch_sources(octree); }
    void fetch_bounds(Moments& moments) override { part_->fetch_bounds(moments); }
    std::pmr::memory_resource* memory() override { return part_->memory(); }

    /// Cuts domains at these `shares` of the total work: ranks + 1 values, rising from 0 to 1.
    /// Default: equal shares.
    void cut_at(std::vector<double> shares) { shares_ = std::move(shares); }

    Communicator& ranks() const { return ranks_; }
    DomainPart& part() const { return *part_; }
    std::uint64_t total() const { return coarse_.particles(); } ///< on all ranks
    std::uint64_t targets() const                               ///< on all ranks
    {
        return coarse_.targets_before.empty() ? 0 : coarse_.targets_before.back();
    }
    int partners() const { return requests_.partners; }            ///< number of ranks asked
    std::uint64_t import_bytes() const { return requests_.bytes; } ///< sent by this rank
    std::size_t held_bytes() const;                                ///< on this rank

    /// Returns where the rows sent to each rank begin in DomainPart::leaving().
    std::vector<std::size_t> leaving_begins() const { return part_->leaving_begins(distributed()); }

    /// Particles of all ranks, indexed by number, and the numbers of the local rows.
    struct GatheredParticles {
        Particles all;
        std::vector<GlobalIndex> number;
    };
    /// Gathers the particles on all ranks. `id`: identifiers of the local rows, or empty.
    GatheredParticles gather(std::span<const std::uint64_t> id);

private:
    DistributedTree distributed() const { return {coarse_, domains_, ranks_.rank()}; }
    void require_room(const Domains& domains) const;
    std::uint64_t max_in_leaf(const TreePlan& plan, std::uint64_t all) const;
    std::vector<DomainPiece> pieces(const TreePlan& plan) const;
    void finish(Tree& tree, const TreePlan& plan, Profile& profile);
    void find_regions(const TargetGroups& groups);
    void make_nodes(Tree& tree, Profile& profile);
    void import(Tree& tree);
    void predict_factors(const TargetGroups& groups);
    bool factors_suffice(TargetGroups& groups);
    void cut_target_groups(TargetGroups& groups, const Tree& tree, const GroupSizes& sizes,
                           std::span<const Piece> pieces);

    Communicator& ranks_;
    std::unique_ptr<DomainPart> part_;
    std::vector<double> shares_;
    bool has_targets_ = false, per_particle_ = false; ///< RowsOfRank
    std::optional<AcceptanceCriterion> criterion_;    ///< none: the tree is not walked
    CoarseTreeMaker maker_;
    CoarseTree coarse_;
    Domains domains_, built_domains_; ///< current, and at the last build
    Walk walk_;                       ///< for estimates of accelerations
    RegionExchange requests_;
    std::vector<double> estimates_; ///< of each cluster's acceleration, in WalkUnits
};

} // namespace chamomile
