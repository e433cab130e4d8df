/// \file  How fast the pull of a potential changes along a path.
#pragma once

#include "chamomile/integrate/external/term.hpp"

namespace chamomile {

/// Returns the rate of change of the acceleration by a term at x, which moves at v relative to the
/// term's centre.
Vec3<double> external_jerk(const ExternalTerm& term, const Vec3<double>& x, const Vec3<double>& v);

} // namespace chamomile
