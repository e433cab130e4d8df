/// \file  The acceptance criterion where particles have softening lengths of their own.
///
/// A spline's clearance is that of the cell's largest length and of the targets'. With Plummer's
/// softening a cell stands for its particles by the mean eps^2. What that leaves out of its field
/// is at most a part of `tolerance` times the acceleration: one of 1 in WalkUnits, because a reach
/// is one distance for all targets. Where eps^2 of a pair is linear in that of the source (the sum
/// of squares, or the larger of two values in all) this is 15/8 sum_j m_j (eps_j^2 - mean)^2 / d^6
/// and what comes of lengths that differ with the place in the cell, about 6/5 b sum_j m_j |eps_j^2
/// - mean| / d^5, else at most 3/4 sum_j m_j |eps_j^2 - mean| / d^4. Cells are expanded about
/// targets of different lengths where the difference from their middle changes the field by a part
/// of the same.
#pragma once

#include "chamomile/tree/acceptance.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// A SoftenedReach extends the reach of cells whose particles have softening lengths of their own,
/// and of others not.
class SoftenedReach {
public:
    /// Keeps references.
    SoftenedReach(const AcceptanceCriterion& criterion, const Moments& moments,
                  const WalkUnits& units);

    void extend(CellReach& reach, Index cell) const;

private:
    void extend_plummer(CellReach& reach, Index cell) const;

    const AcceptanceCriterion& criterion_;
    const Moments& moments_;
    const WalkUnits units_;
    bool is_linear_ = false; ///< eps^2 of a pair in that of its source
    double farther_ = 1;     ///< factor of the reach of such pairs
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
