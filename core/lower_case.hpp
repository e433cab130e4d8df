/// \file  Words without regard to capitals.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace chamomile {

inline std::string lower_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    return text;
}

} // namespace chamomile
