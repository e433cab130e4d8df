#include "chamomile/core/text/spelling.hpp"

#include <algorithm>

namespace chamomile {
namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-';
}

std::string option_name(std::string name, const Spelling& spelling)
{
    if (spelling.names)
        if (const auto known = spelling.names->find(name); known != spelling.names->end())
            return known->second;
    if (spelling.has_dashes)
        return "--" + name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// Returns the replacement for "{word}"; empty if this is no mark.
std::string spelled_mark(const std::string& word, const Spelling& spelling)
{
    if (word.empty() || !std::all_of(word.begin(), word.end(), is_of_name))
        return "";
    if (std::all_of(word.begin(), word.end(), is_digit) && word.size() < 20)
        return std::to_string(std::stoull(word) + spelling.first_number);
    return is_digit(word.front()) || word.front() == '-' ? "" : option_name(word, spelling);
}

} // namespace

std::string spelled(const std::string& text, const Spelling& spelling)
{
    std::string all;
    for (std::size_t k = 0; k < text.size();) {
        const std::size_t end = text[k] == '{' ? text.find('}', k) : text.npos;
        std::string mark;
        if (end != text.npos)
            mark = spelled_mark(text.substr(k + 1, end - k - 1), spelling);
        all += mark.empty() ? text.substr(k, 1) : mark;
        k = mark.empty() ? k + 1 : end + 1;
    }
    return all;
}

std::string item(std::size_t index)
{
    return "{" + std::to_string(index) + "}";
}

} // namespace chamomile
