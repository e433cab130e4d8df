/// \file  Slots of a pair's values, used again after the last use of a value.
#pragma once

#include <vector>

#include "chamomile/pairs/simd/text_program.hpp"

namespace chamomile {

/// Numbers the slots of a pair's code anew, where each of `values` has a slot of its own; returns
/// how many are needed.
int share_slots(std::vector<TextInstruction>& code, int values);

} // namespace chamomile
