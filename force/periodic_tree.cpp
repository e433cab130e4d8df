// The tree's part of gravity in a periodic cube.
#include <cmath>

#include "chamomile/core/norm.hpp"
#include "chamomile/force/short_range.hpp"
#include "chamomile/force/tree_lists.hpp"

namespace chamomile {
namespace {

/// Nearest images within r_cut.
class PeriodicTreeSolver final : public TreeLists<ShortRangeSolver> {
public:
    using TreeLists::TreeLists;

    void set_lengths(const ShortRangeLengths& lengths) override
    {
        if (lengths.split == lengths_.split && lengths.cut == lengths_.cut)
            return;
        lengths_ = lengths;
        fitted_for_ = 0;
    }
    void set_least_acceleration(double acceleration) override
    {
        least_acceleration_ = acceleration / options_.gravitational_constant;
    }

    std::unique_ptr<LongRange> make_mesh(const MeshOptions& options) override
    {
        auto mesh = parts_.evaluator->make_mesh({options_.periodic.box}, options);
        mesh_ = mesh.get();
        return mesh;
    }
    void use_mesh(bool used) override { uses_mesh_ = used; }
    void when_built(std::function<void(Profile&)> observer) override
    {
        observer_ = std::move(observer);
    }

private:
    void built(Profile& profile) override
    {
        if (observer_)
            observer_(profile);
    }

    std::optional<AcceptanceCriterion> criterion() const override
    {
        AcceptanceCriterion criterion = criterion_of(options_);
        criterion.periodicity = {options_.periodic.box};
        criterion.cut = lengths_.cut;
        criterion.local_order = 0;
        criterion.least_acceleration = least_acceleration_;
        return criterion;
    }

    /// Sources beyond half a side from a group's centre are felt in another image: only such as
    /// are farther than the cut from all its targets.
    double longest_group() const override
    {
        return 2 / std::sqrt(3.0) * (0.5 * options_.periodic.box - lengths_.cut);
    }

    void complete(EvaluationInput& input) override
    {
        if (std::exchange(fitted_for_, input.scale.length) != input.scale.length)
            form_ = ShortRangeForm::fit(lengths_.split / input.scale.length,
                                        lengths_.cut / input.scale.length);
        input.periodicity = {options_.periodic.box};
        input.form = &form_;
        input.mesh = uses_mesh_ ? mesh_ : nullptr;
    }

    void repair(Particles& particles, Quantities) override
    {
        for (std::size_t t = 0; t < groups_.target_count; ++t)
            if (const Index i = tree_.octree.order[groups_.target(t)];
                !std::isfinite(norm_of_any_size(particles.acceleration[i])))
                refuse_singular_target(particles, i, options_.softening);
    }

    ShortRangeLengths lengths_{};
    ShortRangeForm form_;
    double fitted_for_ = 0; // unit of length of the form
    double least_acceleration_ = 0;
    const LongRange* mesh_ = nullptr; // the evaluator's, if it has one
    bool uses_mesh_ = true;
    std::function<void(Profile&)> observer_;
};

} // namespace

std::unique_ptr<ShortRangeSolver> make_short_range_solver(const SolverOptions& options,
                                                          SolverParts parts)
{
    return std::make_unique<PeriodicTreeSolver>(options, std::move(parts));
}

} // namespace chamomile
