/// \file  The one way from sources to sums: tree, groups, interaction lists, evaluator, repairs.
#pragma once

#include <optional>

#include "chamomile/force/field.hpp"
#include "chamomile/force/lists/list_sums.hpp"
#include "chamomile/force/lists/single_target.hpp"
#include "chamomile/force/lists/source_tree.hpp"
#include "chamomile/force/repairs/cancelling_targets.hpp"

namespace chamomile {

/// The sums of sources at targets by way of four objects: the tree of the sources (SourceTree),
/// groups of targets, their lists (GroupLists) and sums (ListSums). Sources in a tree (or in cells
/// for the groups' sake alone, where all pairs are summed), and sums of gravity over their
/// interaction lists at the sources or at any points; in a periodic box with both ranges. Solvers
/// and kept fields are adaptors of this class, so that their sums have the same bits. Arrays lie on
/// the host or on the solver's device.
class ListField {
public:
    /// `long_range` is that of a periodic box, in place of one made by the options.
    ListField(const SolverOptions& resolved, SolverParts parts,
              std::unique_ptr<LongRange> long_range = {});

    /// A plan holds what an evaluation may change.
    struct Plan {
        std::uint64_t number = 0; ///< places the root cube (Method::decorrelate)
        std::optional<double> softening_length = {};
        bool has_long_range = true; ///< Else that of the last plan stays, of older positions.
        bool has_arrays = true;     ///< The sources' arrays stay until the evaluation has ended.
        std::size_t tracers = 0; ///< particles beside the sources, for which a mesh is chosen too
        bool keeps_lengths = false; ///< per-particle softening even if all sources have one length
        std::span<const std::uint64_t> id = {}; ///< by which messages name particles; empty: index
        bool all_are_targets = false;           ///< TreePlan::all_are_targets
        /// Of several ranks: the shortest and the longest softening length of all sources that have
        /// their own, and whether potentials are asked for by any.
        std::optional<std::pair<double, double>> softenings = {};
        bool has_potentials = false;
    };

    /// Takes the sources: sorts them into cells and sums moments. Throws Error(input) naming the
    /// first value that is not finite (or mass that is negative, for a tree), Error(device).
    void build(const TreeParticles& sources, const Plan& plan);
    /// Takes the same number of sources, which have moved: order and cells stay.
    void refit(const TreeParticles& sources, const Plan& plan);

    std::size_t size() const { return sources_.size(); } ///< of all ranks; 0 after what has failed
    /// Returns the number of sources, of all ranks, that refit() can take.
    std::size_t sources_in_cells() const { return sources_.in_cells(); }
    /// Tells, where a device has no room, whether the next batches can be smaller.
    bool shrink_batches() { return sums_.shrink_batches(); }

    /// Sets the options of the next build or refit, with the same physics, device and precision.
    void adjust(const SolverOptions& resolved);

    struct Outputs {
        ArrayView acceleration, potential = {};
        LongRangePart long_range = LongRangePart::added;
        ArrayView long_range_acceleration = {}; ///< Request::long_range_acceleration
    };
    struct Targets {
        std::span<const Index> active = {}; ///< the caller's numbers of sources; empty: all
        const std::uint8_t* rung = nullptr; ///< on a device: those of at least the rung `first`
        int first = 0;
        /// Direct sums alone: sum at one part of the targets. Sums have the same bits as among all
        /// targets; other entries of the outputs stay unchanged.
        int part = 0, parts = 1;
    };
    /// Sums at sources; entry i of the outputs belongs to source i. Throws Error(input) if two
    /// coincide without softening.
    ForceStatistics at_sources(const Targets& targets, const Outputs& to);

    /// Returns the caller's numbers of the sources that at_sources() has last summed at.
    std::vector<Index> numbers_of_targets();

    /// Sums at any points; entry k belongs to target k.
    ForceStatistics at_points(const FieldTargets& targets, const Outputs& to);

    SourceTree& sources() { return sources_; }
    bool has_own_softenings() const { return sources_.has_own_softenings(); }
    /// Returns the softening of the present sources: the one length of all, or the largest.
    const Softening& softening() const { return softening_.pair; }
    /// Returns a length for each target of sources with their own.
    std::vector<double> target_softenings(const FieldTargets& targets);

    /// Of several ranks: makes those sums of a request anew, in double, that are not finite. Throws
    /// as repair_singular_targets() does, and Error(numeric) naming a tracer.
    void repair_rows(const Request& request);
    /// Returns the particles of all ranks as their tree has them; null of one rank alone.
    DomainTreeBuilder* domains() const { return parts_.domains; }
    /// Returns what evaluations on ranks did since the last call.
    RankFigures take_figures() { return sums_.take_figures(); }

    /// Keeps or restores what later evaluations depend on beside the sources.
    void exchange(Archive& archive);

    std::string device() const { return parts_.evaluator->device(); }
    /// Returns the options with what has been chosen; the softening is that of the options, not of
    /// the plan.
    const SolverOptions& options() const { return options_; }

private:
    void repair_rows_on_host(const Request& request);
    bool walks() const { return options_.solver == SolverKind::tree; }
    AcceptanceCriterion criterion() const;
    TreePlan tree_plan() const;
    double longest_group() const;
    GroupSizes source_sizes() const;
    void take(const TreeParticles& sources, const Plan& plan, bool keeps_cells);
    void take_softening(TreeParticles& sources, const Plan& plan);
    void note_softening(ForceStatistics& statistics) const;
    GroupLists lists_for_groups(ForceStatistics& statistics);
    void find_source_groups(const Targets& targets, ForceStatistics& statistics);
    ForceOutput in_units(const ArrayView& acceleration, const ArrayView& potential) const;
    PairForce force() const
    {
        return {options_, softening_, long_range_ ? &*long_range_ : nullptr};
    }
    std::size_t count_of_all(std::size_t own) const;
    void add_long_range(const Targets& targets, const Outputs& to, ForceStatistics& statistics);
    void complete_potentials(const ArrayView& potential, const ArrayView& masses);
    void compare_estimates(const ForceOutput& output, ForceStatistics& statistics);

    void find_self(const FieldTargets& targets);
    /// This tells whether some targets may be so far away that lists cannot serve them.
    enum class MayBeFar { yes, no };
    ForceStatistics at_points(const FieldTargets& targets, const Outputs& to, MayBeFar far);
    bool is_far(double distance) const { return distance > far_away * sources_.scale().length; }
    ForceStatistics at_points_with_far(const FieldTargets& targets, const Outputs& to);
    void add_long_range_at(const FieldTargets& targets, const Outputs& to,
                           ForceStatistics& statistics);

    void put_sum(const TargetSum& sum, std::size_t i, std::vector<double>& acceleration,
                 std::vector<double>& potential) const;
    void repair_points(const FieldTargets& targets, const ForceOutput& output);
    void repair_sources(const ForceOutput& output);
    std::vector<double> read(const ArrayView& view, std::size_t n, int components) const;
    void write(const std::vector<double>& rows, std::size_t n, const ArrayView& view) const;
    ArrayView in_box(const ArrayView& position, std::size_t n, std::vector<Vec3<double>>& memory);

    SolverOptions options_;
    SolverParts parts_;
    std::optional<LongRangeField> long_range_; // in a periodic box
    Plan plan_;
    SourceSoftening softening_; // of the present evaluation
    SourceTree sources_;
    std::optional<Tree> targets_; // separate ones
    TargetGroups groups_;
    Walk walk_;
    ListSums sums_;
    CancellingTargets cancelling_;
    bool compares_estimates_ = true; // whether estimates are to be compared with forces once
    std::vector<Index> self_;
    std::vector<Vec3<double>> wrapped_, wrapped_targets_;
};

} // namespace chamomile
