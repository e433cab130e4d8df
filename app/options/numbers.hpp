/// \file  Numbers as people type them: read strictly, in the C locale, within a stated range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/core/range.hpp"

namespace chamomile::app {

inline constexpr Range any_number = ranges::any;
inline constexpr Range positive = ranges::positive;
inline constexpr Range not_negative = ranges::not_negative;
constexpr Range at_least(double least)
{
    return {least};
}
constexpr Range between(double least, double most)
{
    return {least, most};
}
constexpr Range above(double least, double most)
{
    return {least, most, true};
}

/// The whole of `text` as a number of type T (double, int, std::uint64_t); an integer may be
/// written 1e5. Throws Error(usage) `option: text: what is needed` for anything else: trailing
/// letters, a decimal comma, nan, inf, a number out of range or too large for T.
template <class T>
T parse_number(const std::string& option, const std::string& text, const Range& range);

/// The same for a list such as 0.4,0.6; at least one number.
template <class T>
std::vector<T> parse_numbers(const std::string& option, const std::string& text,
                             const Range& range);

/// The shortest text that reads back as the same number.
std::string shortest(double value);

} // namespace chamomile::app
