/// \file  The words of a line of numbers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace chamomile {

/// Splits a line at blanks, tabs or commas. Returns false if a word is missing before or after a
/// comma.
bool split_words(std::string_view line, std::vector<std::string_view>& words);

/// Returns the number if it fills the whole word. Accepts Fortran exponents (1.0D+00).
std::optional<double> parsed_real(std::string_view word);

} // namespace chamomile
