/// \file  The sum at one separate target, in double, where float lists fail.
#pragma once

#include "chamomile/core/particles.hpp"
#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Sums over all sources but `self` (-1: none); G = 1. Without softening, sources at the target's
/// place exert no force. `own`: the target's softening length, for per-particle softening.
TargetSum sum_of_single_target(const Particles& sources, const Vec3<double>& place,
                               std::int64_t self, const Softening& softening, double own = 0);

/// Distance in units of the sources' size (or softening, if longer). Beyond it, a sum to second
/// moments neglects less than 4e-15 = 2^-48 of the field, and products of inverse distances
/// approach the limits of float.
inline constexpr double far_away = 0x1p16;

/// Sums at such a distance by the moments of all sources, with masses not negative; G = 1. The time
/// does not depend on the number of sources.
TargetSum sum_from_afar(const Multipole& whole, const Vec3<double>& place,
                        const Softening& softening);

} // namespace chamomile
