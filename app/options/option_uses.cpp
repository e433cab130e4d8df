#include "app/options/option_uses.hpp"

#include <algorithm>
#include <sstream>

#include "chamomile/core/error.hpp"

namespace chamomile::app {
namespace {

std::vector<std::string> words_of(const char* text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

bool is_asked(const Options& options, const std::string& name)
{
    return options.given(name) && options.given_values().at(name) != "false";
}

} // namespace

void refuse_idle(const Options& options, const std::vector<Idle>& table)
{
    if (const auto idle =
            first_idle(table, [&](const std::string& name) { return is_asked(options, name); }))
        throw Error(Fault::usage,
                    options.command() + ": " + options.typed(idle->name) + ": " + idle->because);
}

std::vector<std::string> given_of(const Options& options, const char* names)
{
    std::vector<std::string> asked;
    for (const std::string& name : words_of(names))
        if (is_asked(options, name))
            asked.push_back(options.typed(name));
    return asked;
}

} // namespace chamomile::app
