/// \file  The acceptance criterion where particles have softening lengths of their own.
///
/// A spline's clearance is that of the cell's largest length and of the targets'. With Plummer's
/// softening a cell stands for its particles by the mean eps^2. What that leaves out of its field,
/// at most 3/4 of sum_j m_j |eps_j^2 - mean| / d^4, is at most `tolerance` times the acceleration:
/// one of 1 in WalkUnits, because a reach is one distance for all targets. Cells are expanded about
/// targets of different lengths where the difference from their middle changes the field by a part
/// of that.
#pragma once

#include "chamomile/tree/acceptance.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Extends the reach of a cell.
void soften(CellReach& reach, const AcceptanceCriterion& criterion, const CellSoftening& softening,
            const Multipole& multipole, const WalkUnits& units);

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
