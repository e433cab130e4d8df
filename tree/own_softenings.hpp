/// \file  The acceptance criterion with per-particle softening.
///
/// Kernels with a reach: pairs are softened within a radius. The clearance is a bound of it, from
/// the cell's largest length plus the targets' largest.
///
/// Plummer: two values of eps^2 stand for a cell's particles (CellSoftening). The error comes only
/// from lengths that vary with position in the cell: about 6/5 b sum_j m_j |eps_j^2 - mean| / d^5.
/// Its limit is a fraction of `tolerance` times the acceleration. An OpeningRadius serves all
/// targets, so it is computed for an acceleration of 1 in WalkUnits, and a walk scales it like the
/// multipoles' limit.
///
/// A cell's field is expanded about targets of different lengths only if half their difference in
/// eps^2 changes it by less than a fraction of `tolerance` times the acceleration. The change is
/// expanded too, to a lower order.
///
/// Contraction: none (no fused multiply-adds), so that host and device give nodes the same bits.
#pragma once

#include <optional>

#include "chamomile/tree/acceptance.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Returns a bound for the reach of pairs in which both particles have this eps^2. The
/// length is rounded up to the largest length over a power of 4, to get few distinct values. For
/// pairs with different lengths, the bounds of cell and targets are added, less the bound of the
/// smallest length (shared_clearance()), which both contain.
CHAMOMILE_HD double softened_reach(const AcceptanceCriterion& criterion, double eps2)
{
    const double own = sqrt(eps2); // a target that is no source may exceed criterion.softening
    double length = criterion.softening < own ? own : criterion.softening;
    while (eps2 > 0 && 4 * own <= length)
        length /= 4;
    // sqrt(a^2 + b^2) is at most sqrt(2) times the larger of a and b.
    const bool sums = criterion.softening_rule == SofteningRule::root_of_squares;
    return eps2 > 0 ? criterion.softening_reach * (sums ? sqrt(2.0) : 1.0) * length : 0;
}

/// The opening radius of cells with per-particle softening. Constructed on the host.
class SoftenedReach {
public:
    /// `whole`: moments of the root.
    SoftenedReach(const AcceptanceCriterion& criterion, const Multipole& whole,
                  const WalkUnits& units);

    const AcceptanceCriterion& criterion() const { return criterion_; }

    CHAMOMILE_HD OpeningRadius reach(const Multipole& multipole, const Box& bounds,
                                     const CellSoftening& softening) const
    {
        OpeningRadius reach = criterion_.reach(multipole, bounds, units_);
        if (criterion_.softening_reach > 0)
            reach.min += softened_reach(criterion_, softening.largest);
        else
            extend_plummer(reach, multipole, bounds, softening);
        return reach;
    }

private:
    /// Chosen by measurement (docs/explanation/decisions.md, 335). cell_part: fraction of the
    /// tolerance for the error of a cell. cell_lengths: what opening-angle criteria add to the
    /// opening radius, in units of (variance of eps^2)^(1/4) / theta.
    static constexpr double cell_part = 0.125, cell_lengths = 2;

    CHAMOMILE_HD void extend_plummer(OpeningRadius& reach, const Multipole& multipole,
                                     const Box& bounds, const CellSoftening& softening) const
    {
        const double variance = softening.variance(), mass = multipole.mass / units_.mass;
        if (!(mass > 0 && variance > 0))
            return;
        const double deviation = sqrt(variance) / units_.length / units_.length;
        if (!criterion_.takes_tolerance()) {
            reach.min += cell_lengths / criterion_.theta * units_.length * sqrt(deviation);
            return;
        }
        const double limit = cell_part * criterion_.tolerance,
                     b = bounds.farthest_distance(multipole.center) / units_.length,
                     x = 1.2 * mass * deviation * b / limit, unit = farther_ * units_.length,
                     known = reach.relative / unit;
        if (x > known * known * known * known * known) // avoids most fifth roots
            reach.relative = unit * root(x, 5);
    }

    AcceptanceCriterion criterion_;
    WalkUnits units_;
    double farther_ = 1; ///< factor of the radius that limits this error
};

/// The opening radius of each cell in a tree, with one softening length or per-particle softening.
class TreeReach {
public:
    /// Reads only the root's moments.
    TreeReach(const AcceptanceCriterion& criterion, const Moments& moments);

    const WalkUnits& units() const { return units_; }

    /// Returns the opening radius of cell c in `moments`, which may hold a part of the tree.
    OpeningRadius of(const Moments& moments, Index c) const
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

/// Returns the reach for the smallest length, contained in every cell's opening radius; 0 without
/// a reach.
double shared_clearance(const AcceptanceCriterion& criterion);

/// Returns what targets add to opening radii: the reach for them, less shared_clearance(); 0
/// without a reach.
double own_clearance(const AcceptanceCriterion& criterion, const SofteningSpan& targets);

/// Returns the min distance for expanding a cell about these targets; 0 unless an opening-angle
/// criterion with Plummer softening.
double softened_expansion(const AcceptanceCriterion& criterion, const SofteningSpan& targets);

/// Returns a factor of the min distance for expanding a cell about these targets. It multiplies
/// OpeningRadius::expansion; its square, mass^(1/4), if local_order is 6. `acceleration` is in
/// WalkUnits.
double softened_expansion_factor(const AcceptanceCriterion& criterion, const SofteningSpan& targets,
                                 double acceleration, const WalkUnits& units);

} // namespace chamomile
