/// \file  Behaviours of every evaluator with coordinates, masses and forces in extreme ranges.
#pragma once

#include "tests/unit/behaviours.hpp"

namespace chamomile::tests {

/// Checks direct sums with one distant particle or two very close ones: in double, and in float to
/// float accuracy.
void check_wide_groups(const Machine& machine);
/// Checks that trees keep their tolerance even if squared accelerations or lengths overflow.
void check_sizes_without_squares(const Machine& machine);
/// Checks the field far from all sources, alone and mixed with targets among them.
void check_far_targets(const Machine& machine);
/// Checks that sums beyond double's range throw.
void check_overflow(const Machine& machine);
/// Checks that trees report forces that cancel below the tolerance's reference.
void check_cancelling_line(const Machine& machine);

inline constexpr Behaviour range_behaviours[] = {
    {"direct sums stay accurate in wide groups and for close pairs", check_wide_groups},
    {"trees keep accuracy when squared lengths or accelerations overflow",
     check_sizes_without_squares},
    {"field evaluation stays accurate far from all sources", check_far_targets},
    {"overflow in double raises an error", check_overflow},
    {"trees report the fraction of targets with cancelling forces", check_cancelling_line},
};

} // namespace chamomile::tests
