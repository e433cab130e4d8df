/// \file  Numbers as text and back, the same in every locale.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

/// The number that all of the text stands for, if it is one. Takes a leading plus sign.
template <class T>
std::optional<T> parsed_number(std::string_view text)
{
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
        text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// Whether the text is a number that no double is near: too large, or too small but not 0.
inline bool is_beyond_doubles(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

} // namespace chamomile
