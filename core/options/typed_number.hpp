/// \file  Numbers as people type them, read strictly, in the C locale, within a stated range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/core/options/range.hpp"

namespace chamomile {

/// Reads the whole of `text` as a number of type T (double, int, std::uint64_t); an integer may be
/// written 1e5. Throws Error(usage) `option: text: what is needed` for anything else: trailing
/// letters, a decimal comma, nan, inf, a number out of range or too large for T.
template <class T>
T parse_number(const std::string& option, const std::string& text, const Range& range);

/// Reads a list such as 0.4,0.6 in the same way; it must have at least one number.
template <class T>
std::vector<T> parse_numbers(const std::string& option, const std::string& text,
                             const Range& range);

/// Returns the seconds of a time on the clock at the wall, such as 90s, "90 min", 2h or 1d; a
/// number without a unit stays as it is. Throws Error(usage) for another unit.
std::string plain_seconds(const std::string& option, const std::string& text);

/// Returns the number to 15 digits, which hides the rounding of a few sums and products.
double to_fifteen_digits(double value);

/// Reads a list such as 0,0.5,1:5:1, in which A:B:STEP stands for A, A + STEP and so on to B, in
/// the same way; B counts where it differs by rounding alone. Throws Error(usage) for steps that
/// never come to B, and beyond a million numbers.
std::vector<double> parse_series(const std::string& option, const std::string& text,
                                 const Range& range);

/// Throws Error(usage) that names the allowed words and the nearest of them.
[[noreturn]] void refuse_word(const std::string& option, const std::string& text,
                              const std::vector<std::string>& words);

} // namespace chamomile
