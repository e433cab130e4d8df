/// \file  Tables of short-range forces with a cutoff, for P3M and TreePM.
#pragma once

#include <functional>

#include "chamomile/interfaces/grape5/tabulated_force.hpp"

namespace chamomile {

/// Returns a table of f(r), the factor of the distance vector, for r below `cut`. Throws
/// Error(usage) if the cut is not positive or f is not finite.
ForceTable make_force_table(const std::function<double(double)>& f, double cut);

/// Returns the attraction between two S2 clouds of diameter `a` at distance r, divided by r, for
/// unit masses (Hockney & Eastwood 1988, section 8-3-3): 1 / r^3 for r >= a.
double s2_pull(double a, double r);

} // namespace chamomile
