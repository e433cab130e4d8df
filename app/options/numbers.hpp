/// \file  Numbers on the command line: core/options/typed_number.hpp, with short range names.
#pragma once

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/typed_number.hpp"

namespace chamomile::app {

inline constexpr Range any_number = ranges::any;
inline constexpr Range positive = ranges::positive;
inline constexpr Range not_negative = ranges::not_negative;
using ranges::above;
using ranges::at_least;
using ranges::between;

/// Returns the shortest text that parses to the same number.
inline std::string shortest(double value)
{
    return number_text(value);
}

} // namespace chamomile::app
