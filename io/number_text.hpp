/// \file  Numbers in the text of files.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

/// Returns whether the text is a number that no double can hold: too large, or too small but not 0.
inline bool is_beyond_doubles(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

} // namespace chamomile
