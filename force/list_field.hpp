/// \file  Accelerations and potentials by lists from sources that stay, at points of any kind.
#pragma once

#include "chamomile/force/cancelling_targets.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/force/list_batches.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/force/lone_target.hpp"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// The tree (or all pairs) behind a FieldSolver, whose words hold here too. Tidal tensors and jerks
/// are not its affair.
class ListField {
public:
    explicit ListField(const SolverOptions& settled) : ListField(settled, make_parts(settled, true))
    {}
    ListField(const SolverOptions& settled, SolverParts parts);

    void build(const FieldSources& sources);
    void refit(const FieldSources& sources);
    std::size_t size() const { return size_; }

    ForceStatistics evaluate(const FieldTargets& targets, const FieldResults& results)
    {
        return evaluate(targets, results, MayBeFar::yes);
    }
    ForceStatistics evaluate_sources(std::span<const Index> active, const FieldResults& results);

    /// The sources in sorted order, with their numbers; here to read until the next build.
    const Octree& octree();
    const Moments& moments() const { return tree_.moments; }

    std::string device() const { return parts_.evaluator->device(); }
    const SolverOptions& options() const { return options_; }

private:
    std::optional<AcceptanceCriterion> criterion() const;
    TreePlan plan() const;
    void finish_build(const FieldSources& sources);
    /// The sums of `groups_` into `output`; returns how many are not finite. Where the device has
    /// no room for the batches, smaller ones are tried: they change no bit.
    std::size_t sum(const TargetsApart& apart, std::span<const Index> active,
                    const ForceOutput& output, ForceStatistics& statistics);
    void submit(const TargetsApart& apart, int batch_size, ForceStatistics& statistics);
    GroupSizes target_sizes(std::size_t targets) const;
    void find_self(const FieldTargets& targets);
    /// Whether some targets may be so far away that lists are not for them.
    enum class MayBeFar { yes, no };
    ForceStatistics evaluate(const FieldTargets& targets, const FieldResults& results,
                             MayBeFar far);
    bool is_far(double distance) const { return distance > far_away * scale_.length; }
    ForceStatistics evaluate_with_far(const FieldTargets& targets, const FieldResults& results);
    void put_sum(const TargetSum& sum, std::size_t i, std::vector<double>& acceleration,
                 std::vector<double>& potential) const;
    void repair(const FieldTargets& targets, const ForceOutput& output);
    void repair_sources(const ForceOutput& output);
    ForceStatistics sum_on_device(std::span<const Index> active, const FieldResults& results);
    Particles all_sources();
    std::vector<double> read_rows(const ArrayView& view, std::size_t n, int components) const;
    void write_rows(const std::vector<double>& rows, std::size_t n, const ArrayView& view) const;

    SolverOptions options_;
    SolverParts parts_;
    Tree tree_, targets_;
    TargetGroups groups_;
    Walk walk_;
    CancellingTargets cancelling_;
    std::unique_ptr<Solver> direct_; // on a GPU, when it is asked for
    InternalScale scale_;
    Profile build_profile_;
    BatchRoom room_;
    bool has_both_signs_ = false; // masses, of a direct sum
    std::size_t size_ = 0;        // of sources that are there whole
    bool has_order_ = false;      // octree.order and sources are here
    std::uint64_t builds_ = 0;    // by which root cubes are placed (decorrelate)
    std::vector<Index> rank_, self_;
    std::vector<Vec3<double>> acceleration_; // of all sources, or where none is wanted
    std::vector<double> potential_;
};

} // namespace chamomile
