/// \file  Tables of forces with a cut, for the short-range part of P3M and TreePM.
#pragma once

#include <functional>

#include "chamomile/clients/grape5/tabulated_force.hpp"

namespace chamomile {

/// Returns a table of f(r), the factor of the distance vector, for r below `cut` > 0. Throws
/// Error(usage) if the cut is not above 0 or f is not finite.
ForceTable make_force_table(const std::function<double(double)>& f, double cut);

/// Returns the attraction of one S2 cloud of diameter `a` by another at distance r, divided by r,
/// for unit masses (Hockney & Eastwood 1988, section 8-3-3): 1 / r^3 for r >= a.
double s2_pull(double a, double r);

} // namespace chamomile
