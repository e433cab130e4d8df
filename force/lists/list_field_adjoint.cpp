// ListField: the gradient of a loss of the sums at sources.
#include <cassert>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/force/law_choice.hpp"
#include "chamomile/force/lists/list_field.hpp"

namespace chamomile {

bool ListField::has_adjoint() const
{
    LawChoice law = LawChoice::of(softening_.pair, has_own_softenings());
    law.order = options_.order;
    return options_.device == "cpu" ||
           (options_.tree_built_by != TreeBuiltBy::host && parts_.evaluator->has_adjoint(law));
}

bool ListField::has_adjoint_on_device() const
{
    return options_.device != "cpu" && has_adjoint() &&
           (!long_range_ || long_range_->of_evaluator());
}

std::size_t ListField::adjoint_at_sources(AdjointInput loss, const FieldGradients& gradients,
                                          ForceStatistics& statistics)
{
    assert(walks() && has_adjoint() && !parts_.domains && !(long_range_ && loss.velocity));
    const bool on_host = options_.device == "cpu";
    if (on_host && !adjoint_) {
        adjoint_ = make_adjoint_evaluator(options_.precision, options_.instruction_set);
        adjoint_sums_.emplace(*adjoint_);
    }
    Evaluator& evaluator = on_host ? *adjoint_ : *parts_.evaluator;
    const GroupLists lists = find_source_lists({}, statistics);
    const InternalScale& scale = sources_.scale();
    AdjointStart start;
    {
        const TimedPhase phase(statistics.profile, "dual moments");
        loss.criterion = criterion();
        start = evaluator.begin_adjoint(loss, sources_.tree(), scale);
    }
    if (!std::isfinite(start.unit))
        return size();
    if (start.nodes)
        walk_.prepare(sources_.tree().octree, *start.nodes, criterion());
    ForceOutput output{gradients.position, gradients.mass};
    output.potential_unit =
        options_.gravitational_constant * start.unit / scale.length / scale.length;
    output.acceleration_unit =
        output.potential_unit * (loss.velocity ? 1 : scale.mass) / scale.length;
    if (!std::isfinite(output.potential_unit) || !std::isfinite(output.acceleration_unit))
        throw Error(Fault::numeric,
                    "gradients: not finite: G M lambda / L^3 of all particles exceeds the range of "
                    "a double");
    std::vector<Vec3<double>> unwanted;
    if (!output.acceleration) {
        unwanted.resize(size());
        output.acceleration = view_of(std::span(unwanted));
    }
    ListSums& sums = on_host ? *adjoint_sums_ : sums_;
    const ListedTargets listed{
        .groups = groups_, .lists = lists, .output = output, .adds_mesh = true, .is_adjoint = true};
    const std::size_t not_finite = sums.sum(sources_, force(), listed, statistics);
    kept_.are_complete = lists.kept;
    if (long_range_ && !long_range_->of_evaluator()) {
        const Particles all = sources_.all();
        long_range_->add_adjoint({all.size(), view_of(std::span(all.position)),
                                  view_of(std::span(all.mass)), loss.lambda, loss.mu},
                                 output.acceleration, output.potential, statistics.profile);
    }
    return not_finite;
}

} // namespace chamomile
