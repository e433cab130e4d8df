/// \file  Mesh, split and cut in a periodic box for an error of forces.
#pragma once

#include "chamomile/force/settings.hpp"

namespace chamomile {

/// Returns the min error for set_ranges(). In double r_cut is then at its max, 7 r_s. In float it
/// ends at 6.5, since the polynomials of the short range err more than what is cut off.
inline double min_error_in_box(Precision precision)
{
    return precision == Precision::single_precision ? 5e-5 : 2.2e-5;
}

/// Sets r_s and r_cut, unless the goal fixes them, so that mesh and cut cause about half of
/// `error`. With a known mesh, r_cut fits into the box.
void set_ranges(SolverOptions& options, const AccuracyGoal& goal, double error);

/// Returns the error for which set_ranges() gives these ranges.
double error_of_ranges(const PeriodicOptions& periodic);

/// Returns the mesh with about `cells` cells in the mean distance of `particles`: more if r_cut
/// does not fit into the box, fewer if the jump of the softened force at r_cut
/// (periodic/softening_cut.hpp) exceeds half of the goal.
int mesh_for(SolverOptions options, const AccuracyGoal& goal, double cells, std::size_t particles,
             const Softening& softening);

} // namespace chamomile
