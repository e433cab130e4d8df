/// \file  The words of a line of numbers.
#pragma once

#include <string_view>
#include <vector>

namespace chamomile {

/// The words of a line, separated by blanks, tabs or commas. False where a comma has no word
/// before or after it.
bool split_words(std::string_view line, std::vector<std::string_view>& words);

} // namespace chamomile
