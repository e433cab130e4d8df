/// \file  A stable parallel sort of keys with their particle numbers.
#pragma once

#include <vector>

#include "tree/keys.hpp"

namespace chamomile {

struct KeyedIndex {
    Key key;
    Index index;
};

/// Least significant digit first, 11 bits a pass; a pass in which all keys agree is skipped. Each
/// thread counts and moves one contiguous part, so the result does not depend on their number.
/// `buffer` is scratch that may be reused between calls.
void radix_sort(std::vector<KeyedIndex>& items, std::vector<KeyedIndex>& buffer);

} // namespace chamomile
