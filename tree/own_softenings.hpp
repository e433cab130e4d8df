/// \file  The acceptance criterion where particles have softening lengths of their own.
///
/// A spline's clearance is that of the cell's largest length and of the targets'. With Plummer's
/// softening a cell stands for its particles by two values of eps^2 (CellSoftening), which are as
/// good as its particles but for lengths that differ with the place in the cell. These leave out
/// about 6/5 b sum_j m_j |eps_j^2 - mean| / d^5, which is at most a part of `tolerance` times the
/// acceleration: one of 1 in WalkUnits, because a reach is one distance for all targets. Cells are
/// expanded about targets of different lengths where half their difference changes the field by a
/// part of the same: the change itself is expanded too, to a lower order.
///
/// Contraction: none, so that host and device give nodes the same bits.
#pragma once

#include <optional>

#include "chamomile/tree/acceptance.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Returns h of pairs of particles that both have this eps^2, or more. Lengths are rounded up to
/// the largest over a power of 4, so that those of few ratios keep cells and targets alike: then a
/// cell's reach and its targets' clearance are added up from the least of all.
CHAMOMILE_HD double softened_spline_reach(const AcceptanceCriterion& criterion, double eps2)
{
    const double own = sqrt(eps2); // points may have longer ones
    double length = criterion.softening < own ? own : criterion.softening;
    while (eps2 > 0 && 4 * own <= length)
        length /= 4;
    // sqrt(a^2 + b^2) is at most sqrt(2) times the larger of a and b.
    const bool sums = criterion.softening_rule == SofteningRule::root_of_squares;
    return eps2 > 0 ? Softening::spline_radius_part * (sums ? sqrt(2.0) : 1.0) * length : 0;
}

/// A SoftenedReach extends the reach of cells whose particles have softening lengths of their own.
/// It is made on the host.
class SoftenedReach {
public:
    /// Takes the moments of the root.
    SoftenedReach(const AcceptanceCriterion& criterion, const Multipole& whole,
                  const WalkUnits& units);

    const AcceptanceCriterion& criterion() const { return criterion_; }

    /// Returns the reach of a cell.
    CHAMOMILE_HD CellReach reach(const Multipole& multipole, const Box& bounds,
                                 const CellSoftening& softening) const
    {
        CellReach reach = criterion_.reach(multipole, bounds, units_);
        if (criterion_.softening_kind == SofteningKind::spline)
            reach.least += softened_spline_reach(criterion_, softening.largest);
        else
            extend_plummer(reach, multipole, bounds, softening);
        return reach;
    }

private:
    /// These factors were chosen by measurement (docs/explanation/decisions.md, 335): the part of
    /// the tolerance that a cell may leave out, and lengths by which criteria by angles keep away.
    static constexpr double cell_part = 0.125, cell_lengths = 2;

    CHAMOMILE_HD void extend_plummer(CellReach& reach, const Multipole& multipole,
                                     const Box& bounds, const CellSoftening& softening) const
    {
        const double variance = softening.variance(), mass = multipole.mass / units_.mass;
        if (!(mass > 0 && variance > 0))
            return;
        const double deviation = sqrt(variance) / units_.length / units_.length;
        if (!criterion_.is_relative()) {
            reach.least += cell_lengths / criterion_.theta * units_.length * sqrt(deviation);
            return;
        }
        const double limit = cell_part * criterion_.tolerance,
                     b = bounds.farthest_distance(multipole.center) / units_.length,
                     x = 1.2 * mass * deviation * b / limit, unit = farther_ * units_.length,
                     had = reach.relative / unit;
        if (x > had * had * had * had * had) // else the root is not needed
            reach.relative = unit * root(x, 5);
    }

    AcceptanceCriterion criterion_;
    WalkUnits units_;
    double farther_ = 1; ///< factor of this reach
};

/// A TreeReach tells the reach of each cell of a tree, whether its particles have one softening
/// length or their own.
class TreeReach {
public:
    /// Takes the moments of the root.
    TreeReach(const AcceptanceCriterion& criterion, const Moments& moments);

    const WalkUnits& units() const { return units_; }

    /// Returns that of cell c of this tree, whose moments may be kept in parts.
    CellReach of(const Moments& moments, Index c) const
    {
        return softened_
                   ? softened_->reach(moments.multipole[c], moments.bounds[c], moments.softening[c])
                   : criterion_.reach(moments.multipole[c], moments.bounds[c], units_);
    }

private:
    AcceptanceCriterion criterion_;
    WalkUnits units_;
    std::optional<SoftenedReach> softened_;
};

/// Returns the part of a spline's clearance that every cell's reach has.
double shared_clearance(const AcceptanceCriterion& criterion);

/// Returns the distance from targets within which a spline's force is not Newton's, beyond what a
/// cell's reach has of it.
double own_clearance(const AcceptanceCriterion& criterion, const SofteningSpan& targets);

/// Returns the distance within which no cells are expanded about such targets, of a criterion by
/// angles.
double softened_expansion(const AcceptanceCriterion& criterion, const SofteningSpan& targets);

/// Returns the factor of the square of CellReach::expansion (local_order 6), or of itself (other
/// orders), within which cells are not expanded about such targets with that acceleration in
/// WalkUnits.
double softened_expansion_factor(const AcceptanceCriterion& criterion, const SofteningSpan& targets,
                                 double acceleration, const WalkUnits& units);

} // namespace chamomile
