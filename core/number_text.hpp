/// \file  A number as text, the same in every locale.
#pragma once

#include <charconv>
#include <string>

namespace chamomile {

/// The shortest text that reads back as the same number.
inline std::string number_text(double value)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

} // namespace chamomile
