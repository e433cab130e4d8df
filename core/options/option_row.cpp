#include "chamomile/core/options/option_row.hpp"

#include <algorithm>

#include "chamomile/core/error.hpp"

namespace chamomile {

bool is_same_name(std::string_view a, std::string_view b)
{
    const auto plain = [](char c) { return c == '-' ? '_' : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char c, char d) { return plain(c) == plain(d); });
}

void refuse_empty(const std::string& option, const std::string& values)
{
    throw Error(Fault::usage, option + ": (empty): must be " + values);
}

std::vector<std::string> parts_of(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

std::vector<std::string> parse_words(const std::string& option, const std::string& text,
                                     const std::vector<std::string>& words)
{
    std::vector<std::string> list = parts_of(text, ',');
    for (const std::string& word : list) {
        if (word.empty())
            throw Error(Fault::usage, option + ": " + text + ": a name is missing");
        if (!words.empty() && std::find(words.begin(), words.end(), word) == words.end())
            refuse_word(option, word, words);
    }
    return list;
}

std::string joined(const std::vector<std::string>& texts, char separator)
{
    std::string list;
    for (const std::string& text : texts)
        list.append(list.empty() ? "" : std::string(1, separator)).append(text);
    return list;
}

Refusal refused_by(const std::function<void()>& call)
{
    try {
        call();
    } catch (const Error& error) {
        return error.line();
    }
    return {};
}

std::string OptionTerms::plain_name() const
{
    std::string plain = known_as.empty() ? name : known_as.front();
    std::replace(plain.begin(), plain.end(), '-', '_');
    return plain;
}

bool OptionTerms::is_called(std::string_view key) const
{
    if (known_as.empty())
        return is_same_name(name, key);
    return std::any_of(known_as.begin(), known_as.end(),
                       [&](const std::string& alias) { return is_same_name(alias, key); });
}

void require(const Refusal& refusal)
{
    if (refusal)
        throw Error(Fault::usage, *refusal);
}

} // namespace chamomile
