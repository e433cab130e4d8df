/// \file  The only way from sources to sums: tree, groups, interaction lists, evaluator, repairs.
#pragma once

#include <optional>

#include "chamomile/force/adjoint/adjoint_evaluator.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/lists/list_sums.hpp"
#include "chamomile/force/lists/single_target.hpp"
#include "chamomile/force/lists/source_tree.hpp"
#include "chamomile/force/repairs/cancelling_targets.hpp"

namespace chamomile {

/// Sums at targets by four objects: the tree of sources (SourceTree), target groups, their lists
/// (GroupLists) and sums (ListSums). Without a walk, a direct sum uses cells only to form groups.
/// Targets are the sources or any points; in a periodic box sums include both ranges. Solvers and
/// kept fields are adaptors to this class, so that sums are bitwise equal. Arrays are on the host
/// or on the solver's device. Its many members are these objects and the memory of repairs and
/// estimates.
class ListField {
public:
    /// `long_range`, if not null, replaces the one made from the options, in a periodic box.
    ListField(const SolverOptions& resolved, SolverParts parts,
              std::unique_ptr<LongRange> long_range = {});

    /// A plan holds what may change between evaluations.
    struct Plan {
        std::uint64_t number = 0; ///< places the root cube (Method::decorrelate)
        std::optional<double> softening_length = {};
        bool has_long_range = true;  ///< else the field of the long range is unknown
        bool has_arrays = true;      ///< the sources' arrays stay valid until the evaluation ends
        std::size_t tracers = 0;     ///< number besides the sources; counts when choosing a mesh
        std::size_t all_sources = 0; ///< with several ranks: sources on all ranks
        bool keeps_lengths = false;  ///< per-particle softening even if all lengths are equal
        std::span<const std::uint64_t> id = {}; ///< particle ids for messages; empty: index
        bool has_no_listed_targets = false;     ///< as in TreePlan
        /// With several ranks: min and max per-particle softening over the sources of all ranks,
        /// and whether any rank asks for potentials.
        std::optional<std::pair<double, double>> softenings = {};
        bool has_potentials = false;
    };

    /// Sorts the sources into cells and sums moments. Throws Error(input) naming the first
    /// non-finite value (or, for a tree, negative mass), Error(device).
    void build(const TreeParticles& sources, const Plan& plan);
    /// Accepts the same number of moved sources; keeps their order and cells.
    void refit(const TreeParticles& sources, const Plan& plan);

    std::size_t size() const { return sources_.size(); } ///< on all ranks; 0 after a failure
    /// Returns the number of sources, on all ranks, that refit() accepts.
    std::size_t sources_in_cells() const { return sources_.in_cells(); }
    /// Reduces the batch size after a device ran out of memory. Returns false at the minimum.
    bool shrink_batches() { return sums_.shrink_batches(); }

    /// Sets options for the next build or refit, with equal physics, device and precision.
    void adjust(const SolverOptions& resolved);

    struct Outputs {
        ArrayView acceleration, potential = {};
        LongRangePart long_range = LongRangePart::added;
        ArrayView long_range_acceleration = {}; ///< Request::long_range_acceleration
    };
    struct Targets {
        std::span<const Index> active = {}; ///< source indices; empty: all
        const std::uint8_t* rung = nullptr; ///< on a device: targets have a rung >= `first`
        int first = 0;
        /// For direct sums: evaluates part `part` of `parts`. Sums are bitwise those of a full
        /// evaluation; other output entries stay unchanged.
        int part = 0, parts = 1;
    };
    /// Sums at sources; entry i in the outputs belongs to source i. Throws Error(input) if two
    /// sources coincide without softening.
    ForceStatistics at_sources(const Targets& targets, const Outputs& to);

    /// Returns the source indices of the targets in the last at_sources().
    std::vector<Index> numbers_of_targets();

    /// Sums at any points; entry k in the outputs belongs to target k.
    ForceStatistics at_points(const FieldTargets& targets, const Outputs& to);

    /// Returns whether adjoint_at_sources() can sum the last build or refit: trees on the host, and
    /// on a GPU its own trees of order 2 with one softening length.
    bool has_adjoint() const;
    /// Returns whether adjoint_at_sources() runs on a GPU only, and takes arrays there.
    bool has_adjoint_on_device() const;
    /// Writes dL/dx and, if wanted, dL/dm of all sources, by the lists of at_sources().
    /// With velocities, da/dt takes the place of dL/dx. Sets the loss's criterion. Returns how many
    /// sources have values that are not finite: all, if the given ones are not.
    std::size_t adjoint_at_sources(AdjointInput loss, const FieldGradients& gradients,
                                   ForceStatistics& statistics);

    SourceTree& sources() { return sources_; }
    bool has_own_softenings() const { return sources_.has_own_softenings(); }
    /// Returns the present softening: the shared length, or the max.
    const Softening& softening() const { return softening_.pair; }
    /// Returns the softening length of each target, for per-particle softening.
    std::vector<double> target_softenings(const FieldTargets& targets);

    /// With several ranks: repeats a request's non-finite sums in double. Throws like
    /// repair_singular_targets(), and Error(numeric) naming a tracer.
    void repair_rows(const Request& request);
    /// Returns the tree builder for all ranks; null with one rank.
    DomainTreeBuilder* domains() const { return parts_.domains; }
    /// Returns the figures of evaluations on ranks since the last call.
    RankFigures consume_figures() { return sums_.consume_figures(); }

    /// Saves or restores all state, besides sources, that affects later evaluations.
    void exchange(Archive& archive);

    std::string device() const { return parts_.evaluator->device(); }
    /// Returns the options with the values chosen; softening is from the options, not from the
    /// plan.
    const SolverOptions& options() const { return options_; }

private:
    void repair_rows_on_host(const Request& request);
    bool walks() const { return options_.solver == SolverKind::tree; }
    AcceptanceCriterion criterion() const;
    TreePlan tree_plan() const;
    double longest_group() const;
    GroupSizes source_sizes() const;
    void take(const TreeParticles& sources, const Plan& plan, bool keeps_cells);
    void set_softening(TreeParticles& sources, const Plan& plan);
    void find_typical(Profile& profile);
    void record_softening(ForceStatistics& statistics) const;
    GroupLists lists_for_groups(ForceStatistics& statistics);
    GroupLists find_source_lists(const Targets& targets, ForceStatistics& statistics);
    void find_source_groups(const Targets& targets, ForceStatistics& statistics);
    ForceOutput in_units(const ArrayView& acceleration, const ArrayView& potential) const;
    PairForce force() const
    {
        return {options_, softening_, long_range_ ? &*long_range_ : nullptr};
    }
    std::size_t count_of_all(std::size_t own) const;
    void add_long_range(const Targets& targets, const Outputs& to, ForceStatistics& statistics);
    void complete_potentials(const ArrayView& potential, const ArrayView& masses,
                             std::span<const Index> active);
    void compare_estimates(const ForceOutput& output, ForceStatistics& statistics);

    void find_self(const FieldTargets& targets);
    /// Whether some targets may be too far away for lists.
    enum class MayBeFar { yes, no };
    ForceStatistics at_points(const FieldTargets& targets, const Outputs& to, MayBeFar far);
    bool is_far(double distance) const { return distance > far_away * sources_.scale().length; }
    ForceStatistics at_points_with_far(const FieldTargets& targets, const Outputs& to);
    void add_long_range_at(const FieldTargets& targets, const Outputs& to,
                           ForceStatistics& statistics);

    void put_sum(const TargetSum& sum, std::size_t i, std::vector<double>& acceleration,
                 std::vector<double>& potential) const;
    static Error singular_point(std::size_t number);
    void repair_points(const FieldTargets& targets, const ForceOutput& output);
    void repair_sources(const ForceOutput& output);
    std::vector<double> read(const ArrayView& view, std::size_t n, int components) const;
    void write(const std::vector<double>& rows, std::size_t n, const ArrayView& view) const;
    ArrayView in_box(const ArrayView& position, std::size_t n, std::vector<Vec3<double>>& memory);

    SolverOptions options_;
    SolverParts parts_;
    std::optional<LongRangeField> long_range_; // in a periodic box
    Plan plan_;
    SourceSoftening softening_; // in the present evaluation
    SourceTree sources_;
    std::optional<Tree> targets_; // separate targets
    TargetGroups groups_;
    Walk walk_;
    ListSums sums_;
    std::unique_ptr<Evaluator> adjoint_; // on the host; made when first needed
    std::optional<ListSums> adjoint_sums_;
    KeptLists kept_; // of all sources, with an adjoint_
    CancellingTargets cancelling_;
    bool compares_estimates_ = true; // whether to compare estimates with forces, once
    std::vector<Index> self_;
    std::vector<Vec3<double>> wrapped_, wrapped_targets_;
};

} // namespace chamomile
