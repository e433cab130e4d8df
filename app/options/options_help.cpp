// The text that `chamomile COMMAND --help` prints.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include <boost/program_options.hpp>

#include "app/options/options.hpp"
#include "app/program.hpp"

namespace chamomile::app {

namespace po = boost::program_options;

void Options::describe(const Entry& entry, po::options_description& group)
{
    const std::string name = entry.spelling();
    const std::string value = entry.is_flag ? "" : entry.show();
    const std::string help = entry.help + (value.empty() ? "" : " [" + value + "]");
    if (entry.is_flag)
        group.add_options()(name.c_str(), help.c_str());
    else
        group.add_options()(name.c_str(), po::value<std::string>()->value_name(entry.metavar),
                            help.c_str());
}

void Options::print_help() const
{
    std::string usage = "usage: " + program_name + " " + command_;
    for (const Positional& positional : positionals_) {
        const bool required = positional.need == Need::required;
        usage += " " + (required ? positional.metavar : "[" + positional.metavar + "]");
    }
    std::printf("%s%s [OPTION ...]\n\n%s\n", usage.c_str(), rest_ ? " ..." : "", summary_.c_str());
    if (!positionals_.empty())
        std::printf("\nArguments:\n");
    for (const Positional& positional : positionals_)
        std::printf("  %-12s %s\n", positional.metavar.c_str(), positional.help.c_str());

    std::vector<std::string> titles;
    for (const Entry& entry : entries_)
        if (std::find(titles.begin(), titles.end(), entry.group) == titles.end())
            titles.push_back(entry.group);
    std::rotate(titles.begin(), titles.begin() + 1, titles.end()); // the common options come last

    po::options_description all("", 100, 56);
    for (const std::string& title : titles) {
        po::options_description group(title, 100, 56);
        for (const Entry& entry : entries_)
            if (entry.group == title)
                describe(entry, group);
        all.add(group);
    }
    std::ostringstream text;
    text << all;
    std::printf("%s", text.str().c_str());
}

} // namespace chamomile::app
