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
    throw Error(Fault::usage, option + ": (empty): a " + values + " is needed");
}

Refusal refused_by(const std::function<void()>& call)
{
    try {
        call();
    } catch (const Error& error) {
        return error.what();
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

std::string plain_words(const std::string& line, const PlainNames& names)
{
    const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || c == 'G' || c == '-'; };
    std::string plain;
    for (std::size_t k = 0; k < line.size();) {
        if (line.compare(k, 2, "--") != 0) {
            plain += line[k++];
            continue;
        }
        std::size_t end = k + 2;
        while (end < line.size() && is_of_name(line[end]))
            ++end;
        const auto known = names.find(line.substr(k + 2, end - k - 2));
        plain += known != names.end() ? known->second : line.substr(k, end - k);
        k = end;
    }
    return plain;
}

void require(const Refusal& refusal, const PlainNames& names)
{
    if (refusal)
        throw Error(Fault::usage, plain_words(*refusal, names));
}

} // namespace chamomile
