#include "chamomile/tree/own_softenings.hpp"

#include <algorithm>
#include <cmath>

namespace chamomile {
namespace {

/// These factors were chosen by measurement (docs/explanation/decisions.md, 241): the parts of the
/// tolerance that a cell and an expansion may leave out, and lengths by which criteria by angles
/// keep away.
constexpr double cell_part = 0.4, expansion_part = 0.0015;
constexpr double cell_lengths = 4, linear_cell_lengths = 2, expansion_lengths = 16;
/// Accelerations in a dense centre, in those at the root mean square radius of all particles.
constexpr double dense_centre = 64;

bool is_spline(const AcceptanceCriterion& criterion)
{
    return criterion.softening_kind == SofteningKind::spline;
}

/// Returns h of pairs of particles that both have this eps^2, or more. Lengths are rounded up to
/// the largest over a power of 4, so that those of few ratios keep cells and targets alike: then a
/// cell's reach and its targets' clearance are added up from the least of all.
double reach_of_spline(const AcceptanceCriterion& criterion, double eps2)
{
    double length = std::max(criterion.softening, std::sqrt(eps2)); // points may have longer ones
    while (eps2 > 0 && 4 * std::sqrt(eps2) <= length)
        length /= 4;
    // sqrt(a^2 + b^2) is at most sqrt(2) times the larger of a and b.
    const bool sums = criterion.softening_rule == SofteningRule::root_of_squares;
    return eps2 > 0 ? Softening::spline_radius_part * (sums ? std::sqrt(2.0) : 1) * length : 0;
}

} // namespace

SoftenedReach::SoftenedReach(const AcceptanceCriterion& criterion, const Moments& moments,
                             const WalkUnits& units)
    : criterion_(criterion), moments_(moments), units_(units)
{
    if (moments.softening.empty())
        return;
    // Of two values a and b, the variance is (mean - a) (b - mean), and less where others are.
    const CellSoftening& all = moments.softening[0];
    const double of_two = (all.mean - criterion.least_softening) * (all.largest - all.mean);
    is_linear_ = criterion.softening_rule == SofteningRule::root_of_squares ||
                 all.scatter >= (1 - 1e-9) * of_two * moments.multipole[0].mass;
    // CellReach::relative is multiplied by a^(-1/n), and this reach shrinks as a^(-1/6) alone:
    // where that is less, the acceleration of a dense centre takes the place of 1.
    const Multipole& whole = moments.multipole[0];
    const double size2 = whole.second.trace() / whole.mass / units.length / units.length,
                 dense = dense_centre * (whole.mass / units.mass) / size2;
    if (dense > 1 && dense < HUGE_VAL)
        farther_ = std::pow(dense, std::max(0.0, 1.0 / (criterion.neglected() + 2) - 1.0 / 6));
}

void SoftenedReach::extend(CellReach& reach, Index cell) const
{
    if (moments_.softening.empty())
        return;
    if (is_spline(criterion_))
        reach.least += reach_of_spline(criterion_, moments_.softening[cell].largest);
    else
        extend_plummer(reach, cell);
}

void SoftenedReach::extend_plummer(CellReach& reach, Index cell) const
{
    const double scatter = moments_.softening[cell].scatter, own = moments_.multipole[cell].mass,
                 mass = own / units_.mass;
    if (!(mass > 0 && scatter > 0))
        return;
    const double deviation = std::sqrt(scatter / own) / units_.length / units_.length;
    if (!criterion_.is_relative()) {
        const double lengths = is_linear_ ? linear_cell_lengths : cell_lengths;
        reach.least += lengths / criterion_.theta * units_.length * std::sqrt(deviation);
        return;
    }
    const double limit = cell_part * criterion_.tolerance;
    double nearest = root(0.75 * mass * deviation / limit, 4);
    if (is_linear_) {
        const double b = moments_.bounds[cell].farthest_distance(moments_.multipole[cell].center) /
                         units_.length;
        nearest = farther_ * std::max(root(1.2 * mass * deviation * b / limit, 5),
                                      root(1.875 * mass * deviation * deviation / limit, 6));
    }
    reach.relative = std::max(reach.relative, units_.length * nearest);
}

double shared_clearance(const AcceptanceCriterion& criterion)
{
    return is_spline(criterion) ? reach_of_spline(criterion, criterion.least_softening) : 0;
}

double own_clearance(const AcceptanceCriterion& criterion, const SofteningSpan& targets)
{
    if (!is_spline(criterion))
        return 0;
    return reach_of_spline(criterion, targets.largest) - shared_clearance(criterion);
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
