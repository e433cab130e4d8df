// ListField: the gradient of a loss of the sums at sources.
#include <cassert>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/force/adjoint/dual_moments.hpp"
#include "chamomile/force/lists/list_field.hpp"

namespace chamomile {

std::vector<Index> ListField::adjoint_at_sources(const Cotangents& given,
                                                 std::span<Vec3<double>> position,
                                                 std::span<double> mass,
                                                 ForceStatistics& statistics)
{
    assert(walks() && options_.device == "cpu" && !long_range_ && !parts_.domains);
    if (!adjoint_)
        adjoint_ = make_adjoint_evaluator(options_.precision, options_.instruction_set);
    const GroupLists lists = find_source_lists({}, statistics);
    const InternalScale& scale = sources_.scale();
    const double unit = unit_of_lambda(scale, given.acceleration, given.potential);
    ForceOutput output{view_of(position), view_of(mass)};
    output.potential_unit = options_.gravitational_constant * unit / scale.length / scale.length;
    output.acceleration_unit = output.potential_unit * scale.mass / scale.length;
    if (!std::isfinite(output.potential_unit) || !std::isfinite(output.acceleration_unit))
        throw Error(Fault::numeric,
                    "gradients: not finite: G M lambda / L^3 of all particles exceeds the range of "
                    "a double");
    adjoint_->take(given.acceleration, given.potential, unit, criterion());
    ListSums sums(*adjoint_);
    const ListedTargets listed{.groups = groups_, .lists = lists, .output = output};
    std::vector<Index> singular;
    const std::size_t not_finite = sums.sum(sources_, force(), listed, statistics);
    kept_.are_complete = lists.kept;
    if (not_finite > 0)
        for (std::size_t i = 0; i < size(); ++i)
            if (!std::isfinite(position[i].x + position[i].y + position[i].z + mass[i]))
                singular.push_back(Index(i));
    return singular;
}

} // namespace chamomile
