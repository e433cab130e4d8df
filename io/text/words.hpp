/// \file  The words of a line of numbers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace chamomile {

/// Splits a line into words, separated by blanks, tabs or commas. Returns false where a comma has
/// no word before or after it.
bool split_words(std::string_view line, std::vector<std::string_view>& words);

/// Returns the number in the whole word, or none. Reads Fortran's exponents too, as in 1.0D+00.
std::optional<double> parsed_real(std::string_view word);

} // namespace chamomile
