/// \file  Behaviours of every evaluator with coordinates, masses and forces of any size.
#pragma once

#include "tests/behaviours.hpp"

namespace chamomile::tests {

/// Checks direct sums of particles of which one is far away, or two very close: all in double, and
/// in float to its own accuracy.
void check_wide_groups(const Machine& machine);
/// Trees whose accelerations or lengths have no squares keep their tolerance.
void check_sizes_without_squares(const Machine& machine);
/// Checks the field far from all sources, alone and beside targets among them.
void check_far_targets(const Machine& machine);
/// Sums that no double can hold are errors, not numbers.
void check_overflow(const Machine& machine);
/// Trees say where forces cancel below what the tolerance was taken of.
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
