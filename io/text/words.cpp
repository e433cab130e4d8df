#include "chamomile/io/text/words.hpp"

#include <algorithm>
#include <string>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

bool split_words(std::string_view line, std::vector<std::string_view>& words)
{
    constexpr std::string_view separators = " \t\r,\f";
    words.clear();
    std::size_t commas = 0;
    bool complete = true; // false if a word is missing before or after a comma
    for (std::size_t begin = 0, end; begin < line.size(); begin = end) {
        end = std::min(line.find_first_of(separators, begin), line.size());
        if (begin < end) {
            words.push_back(line.substr(begin, end - begin));
            commas = 0;
        } else if (line[end++] == ',')
            complete = complete && ++commas == 1 && !words.empty();
    }
    return complete && commas == 0;
}

std::optional<double> parsed_real(std::string_view word)
{
    if (const auto value = parsed_number<double>(word))
        return value;
    std::string in_c(word);
    std::replace_if(
        in_c.begin(), in_c.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e');
    return parsed_number<double>(in_c);
}

} // namespace chamomile
