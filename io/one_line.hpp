/// \file  Texts from outside, such as the names of files, within one line of a file.
#pragma once

#include <string>

namespace chamomile {

/// Returns the text with a blank for each control character, since some would end the line.
inline std::string one_line(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
            c = ' ';
    return text;
}

} // namespace chamomile
