/// \file  External texts, such as file names, reduced to one line.
#pragma once

#include <string>

namespace chamomile {

/// Returns the text with control characters replaced by blanks, since some would end the line.
inline std::string one_line(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
            c = ' ';
    return text;
}

} // namespace chamomile
