/// \file  The sum of one target that is no source, in double: where lists in float cannot tell.
#pragma once

#include "chamomile/core/particles.hpp"
#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Sums over all sources but `self` (-1: none); G = 1. Without softening sources at the target's
/// place pull at nothing.
/// `own` is the target's length where sources have theirs.
TargetSum sum_of_single_target(const Particles& sources, const Vec3<double>& place,
                               std::int64_t self, const Softening& softening, double own = 0);

/// This distance is in units of the sources' size (or softening, where that is longer): from this
/// distance on their second moments leave out 4e-15 of the field, 2^-48, while products of inverse
/// distances come near the ends of float's range.
inline constexpr double far_away = 0x1p16;

/// Sums from so far away by the moments of all sources, whose masses are not negative; G = 1. It
/// needs no more time for many sources than for one.
TargetSum sum_from_afar(const Multipole& whole, const Vec3<double>& place,
                        const Softening& softening);

} // namespace chamomile
