#include "chamomile/tree/own_softenings.hpp"

#include <algorithm>
#include <cmath>

namespace chamomile {
namespace {

/// These factors were chosen by measurement (docs/explanation/decisions.md, 241): the parts of the
/// tolerance that a cell and an expansion may leave out, and lengths by which criteria by angles
/// keep away.
constexpr double cell_part = 0.4, expansion_part = 0.0015;
constexpr double cell_lengths = 4, expansion_lengths = 16;

bool is_spline(const AcceptanceCriterion& criterion)
{
    return criterion.softening_kind == SofteningKind::spline;
}

} // namespace

void soften(CellReach& reach, const AcceptanceCriterion& criterion, const CellSoftening& softening,
            const Multipole& multipole, const WalkUnits& units)
{
    if (is_spline(criterion)) {
        reach.least += Softening::spline_radius_part * std::sqrt(softening.largest);
        return;
    }
    const double mass = multipole.mass / units.mass;
    if (!(mass > 0 && softening.scatter > 0))
        return;
    const double deviation =
        std::sqrt(softening.scatter / multipole.mass) / units.length / units.length;
    if (!criterion.is_relative())
        reach.least += cell_lengths / criterion.theta * units.length * std::sqrt(deviation);
    else
        reach.relative = std::max(
            reach.relative,
            units.length * root(0.75 * mass * deviation / (cell_part * criterion.tolerance), 4));
}

double shared_clearance(const AcceptanceCriterion& criterion)
{
    // h of a pair is at most the sum of both by the root of squares, and the larger otherwise.
    const bool shares = is_spline(criterion) && criterion.softening_rule == SofteningRule::larger;
    return shares ? Softening::spline_radius_part * std::sqrt(criterion.least_softening) : 0;
}

double own_clearance(const AcceptanceCriterion& criterion, const SofteningSpan& targets)
{
    if (!is_spline(criterion))
        return 0;
    return Softening::spline_radius_part * std::sqrt(targets.largest) - shared_clearance(criterion);
}

double softened_expansion(const AcceptanceCriterion& criterion, const SofteningSpan& targets)
{
    if (criterion.is_relative() || is_spline(criterion))
        return 0;
    return expansion_lengths / criterion.theta * std::sqrt(targets.half());
}

double softened_expansion_factor(const AcceptanceCriterion& criterion, const SofteningSpan& targets,
                                 double acceleration, const WalkUnits& units)
{
    if (!criterion.is_relative() || criterion.local_order == 0 || is_spline(criterion))
        return 0;
    const double limit = expansion_part * criterion.tolerance * std::max(acceleration, 1e-280);
    return units.length * root(1.5 * targets.half() / units.length / units.length / limit, 4);
}

} // namespace chamomile
