// The description of a command's options.
#include <algorithm>
#include <stdexcept>

#include "app/options/command_page.hpp"
#include "app/options/options.hpp"

namespace chamomile::app {

void Options::common(const std::vector<std::string>& names)
{
    for (const std::string& name : names)
        if (!find(name))
            throw std::logic_error("--" + name + ": is called common and is no option");
    for (Entry& entry : entries_)
        entry.is_common = entry.group == common_group ||
                          std::find(names.begin(), names.end(), entry.name) != names.end();
}

CommandPage Options::page() const
{
    CommandPage page;
    page.command = command_;
    page.summary = summary_;
    for (const Positional& positional : positionals_)
        page.arguments.push_back(
            {positional.metavar, positional.help, positional.need == Need::required});
    page.repeats_last_argument = rest_ != nullptr;
    std::vector<std::string> titles;
    for (const Entry& entry : entries_)
        if (std::find(titles.begin(), titles.end(), entry.group) == titles.end())
            titles.push_back(entry.group);
    std::rotate(titles.begin(), titles.begin() + 1, titles.end()); // the common options come last
    for (const std::string& title : titles)
        for (const Entry& entry : entries_)
            if (entry.group == title)
                page.options.push_back({entry.name, entry.letter, entry.metavar, entry.help, title,
                                        entry.is_flag ? "" : entry.show(), entry.is_flag,
                                        entry.is_common});
    return page;
}

} // namespace chamomile::app
