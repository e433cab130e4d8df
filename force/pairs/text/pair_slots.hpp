/// \file  Slots for pair values, reused after a value's last use.
#pragma once

#include <vector>

#include "chamomile/force/pairs/simd/text_program.hpp"

namespace chamomile {

/// Renumbers slots in pair code that uses one slot per value, `values` in all; returns how many
/// slots are needed.
int share_slots(std::vector<TextInstruction>& code, int values);

} // namespace chamomile
