/// \file  Slots of a pair's values, reused after the last use of a value.
#pragma once

#include <vector>

#include "chamomile/pairs/simd/text_program.hpp"

namespace chamomile {

/// Renumbers the slots of a pair's code, in which each of `values` has a slot of its own; returns
/// how many slots are needed.
int share_slots(std::vector<TextInstruction>& code, int values);

} // namespace chamomile
