#include "chamomile/tree/own_softenings.hpp"

#include <algorithm>
#include <cmath>

namespace chamomile {
namespace {

/// Chosen by measurement (docs/explanation/decisions.md, 335). expansion_part: fraction of the
/// tolerance by which an expansion may change between targets. reach_of_larger: fraction of the
/// opening radius that suffices if the larger length of a pair softens it, so that only targets
/// with the smaller length feel the error.
constexpr double expansion_part = 0.015, reach_of_larger = 0.75;
/// softened_expansion() in units of sqrt(SofteningSpan::half()) / theta, chosen likewise.
constexpr double expansion_lengths = 16;
/// Acceleration in a dense center over the acceleration at the root mean square radius of the
/// system.
constexpr double dense_center = 64;

} // namespace

SoftenedReach::SoftenedReach(const AcceptanceCriterion& criterion, const Multipole& whole,
                             const WalkUnits& units)
    : criterion_(criterion), units_(units)
{
    // A walk multiplies OpeningRadius::relative by a^(-1/n), n = neglected() + 2, with the targets'
    // acceleration a, but the radius needed here shrinks only as a^(-1/5). For n < 5 farther_ makes
    // up for it, up to the acceleration of a dense center.
    const double size2 = whole.second.trace() / whole.mass / units.length / units.length,
                 dense = dense_center * (whole.mass / units.mass) / size2;
    if (dense > 1 && dense < HUGE_VAL)
        farther_ = std::pow(dense, std::max(0.0, 1.0 / (criterion.neglected() + 2) - 1.0 / 5));
    if (criterion.softening_rule != SofteningRule::root_of_squares)
        farther_ *= reach_of_larger;
}

TreeReach::TreeReach(const AcceptanceCriterion& criterion, const Moments& moments)
    : criterion_(criterion), units_(WalkUnits::of(moments.multipole[0], moments.bounds[0]))
{
    if (!moments.softening.empty())
        softened_.emplace(criterion, moments.multipole[0], units_);
}

double shared_clearance(const AcceptanceCriterion& criterion)
{
    return criterion.softening_reach > 0
               ? softened_reach(criterion, criterion.min_softening_squared)
               : 0;
}

double own_clearance(const AcceptanceCriterion& criterion, const SofteningSpan& targets)
{
    if (criterion.softening_reach == 0)
        return 0;
    return softened_reach(criterion, targets.largest) - shared_clearance(criterion);
}

double softened_expansion(const AcceptanceCriterion& criterion, const SofteningSpan& targets)
{
    if (criterion.takes_tolerance() || criterion.softening_reach > 0)
        return 0;
    return expansion_lengths / criterion.theta * std::sqrt(targets.half());
}

double softened_expansion_factor(const AcceptanceCriterion& criterion, const SofteningSpan& targets,
                                 double acceleration, const WalkUnits& units)
{
    if (!criterion.takes_tolerance() || criterion.local_order == 0 || criterion.softening_reach > 0)
        return 0;
    const double limit = expansion_part * criterion.tolerance * std::max(acceleration, 1e-280);
    return units.length * root(1.5 * targets.half() / units.length / units.length / limit, 4);
}

} // namespace chamomile
