/// \file  Jerks by external potentials.
#pragma once

#include "chamomile/integrate/external/term.hpp"

namespace chamomile {

/// Returns the jerk by a term at x; v is the velocity relative to the term's center.
Vec3<double> external_jerk(const ExternalTerm& term, const Vec3<double>& x, const Vec3<double>& v);

} // namespace chamomile
