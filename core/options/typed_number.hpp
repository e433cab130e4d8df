/// \file  Numbers as users type them, read strictly, in the C locale, within a stated range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/core/options/range.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Reads the whole `text` as a number of type T (double, int, std::uint64_t); an integer may be
/// written 1e5. Throws Error(usage) `option: text: what is needed` for anything else: trailing
/// letters, a decimal comma, nan, inf, or a number out of range.
template <class T>
T parse_number(const std::string& option, const std::string& text, const Range& range);

/// Reads a list such as 0.4,0.6, with at least one number. Throws like parse_number().
template <class T>
std::vector<T> parse_numbers(const std::string& option, const std::string& text,
                             const Range& range);

/// Reads three numbers such as 0,0,30. Throws Error(usage).
Vec3<double> parse_vector(const std::string& option, const std::string& text);

/// Returns a wall-clock time such as 90s, "90 min", 2h or 1d in seconds; a text without a unit
/// stays unchanged. Throws Error(usage) for other units.
std::string plain_seconds(const std::string& option, const std::string& text);

/// Returns the number to 15 digits, which hides rounding from a few sums and products.
double to_fifteen_digits(double value);

/// Reads a list such as 0,0.5,1:5:1. A:B:STEP stands for A, A + STEP, ... up to B, including B if
/// it is reached up to rounding. Throws like parse_number(), and for steps that never reach B or
/// more than a million numbers.
std::vector<double> parse_series(const std::string& option, const std::string& text,
                                 const Range& range);

/// Throws Error(usage) with the allowed words and the nearest one.
[[noreturn]] void refuse_word(const std::string& option, const std::string& text,
                              const std::vector<std::string>& words);

} // namespace chamomile
