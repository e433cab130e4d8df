/// \file  Converts numbers to text and back, independent of the locale.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace chamomile {

/// Returns the shortest text that reads back as the same number.
inline std::string number_text(double value)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// Returns the number if the whole text is a number, else none. Allows a leading plus sign.
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

} // namespace chamomile
