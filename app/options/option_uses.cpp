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

[[noreturn]] void refuse(const Options& options, const std::string& name,
                         const std::string& because)
{
    throw Error(Fault::usage, options.command() + ": --" + name + ": " + because);
}

} // namespace

void refuse_idle(const Options& options, const std::vector<Idle>& table)
{
    for (const Idle& row : table)
        if (row.idle)
            for (const std::string& name : words_of(row.options))
                if (is_asked(options, name))
                    refuse(options, name, row.because);
}

std::vector<std::string> given_of(const Options& options, const char* names)
{
    std::vector<std::string> asked;
    for (const std::string& name : words_of(names))
        if (is_asked(options, name))
            asked.push_back("--" + name);
    return asked;
}

} // namespace chamomile::app
