#include "app/options/command_page.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <boost/program_options.hpp>

namespace chamomile::app {

namespace po = boost::program_options;

namespace {

/// If set, show_help() appends pages here and prints nothing; used by pages_of().
std::vector<CommandPage>* collected = nullptr;

po::options_description description(const CommandPage& page, Extent extent)
{
    po::options_description all("", 100, 56);
    for (const std::string& title : page.groups()) {
        po::options_description group(title, 100, 56);
        for (const PageOption& option : page.options) {
            if (option.group != title || (extent == Extent::common && !option.is_common))
                continue;
            const std::string name =
                option.name + (option.letter.empty() ? "" : ",") + option.letter;
            const std::string help =
                option.help + (option.value.empty() ? "" : " [" + option.value + "]");
            if (option.is_flag)
                group.add_options()(name.c_str(), help.c_str());
            else
                group.add_options()(name.c_str(),
                                    po::value<std::string>()->value_name(option.metavar),
                                    help.c_str());
        }
        if (!group.options().empty())
            all.add(group);
    }
    return all;
}

} // namespace

std::string CommandPage::usage() const
{
    std::string line = program_name + (command.empty() ? "" : " " + command);
    for (const PageArgument& argument : arguments)
        line += " " + (argument.is_required ? argument.metavar : "[" + argument.metavar + "]");
    return line + (repeats_last_argument ? " ..." : "") + " [OPTION ...]";
}

std::vector<std::string> CommandPage::groups() const
{
    std::vector<std::string> titles;
    for (const PageOption& option : options)
        if (std::find(titles.begin(), titles.end(), option.group) == titles.end())
            titles.push_back(option.group);
    return titles;
}

void show_help(const CommandPage& page, Extent extent)
{
    if (collected) {
        collected->push_back(page);
        return;
    }
    std::printf("usage: %s\n\n%s\n", page.usage().c_str(), page.summary.c_str());
    if (!page.arguments.empty())
        std::printf("\nArguments:\n");
    for (const PageArgument& argument : page.arguments)
        std::printf("  %-12s %s\n", argument.metavar.c_str(), argument.help.c_str());
    if (!page.children.empty())
        std::printf("\n%s:\n", page.children_title.c_str());
    for (const auto& [name, summary] : page.children)
        std::printf("  %-12s %s\n", name.c_str(), summary.c_str());
    std::ostringstream text;
    if (!page.options.empty())
        text << description(page, extent);
    std::printf("%s", text.str().c_str());
    const auto rare = std::count_if(page.options.begin(), page.options.end(),
                                    [](const PageOption& option) { return !option.is_common; });
    if (extent == Extent::common && rare > 0)
        std::printf("\n%d more options: %s %s --help-all\n", int(rare), program_name.c_str(),
                    page.command.c_str());
}

std::vector<CommandPage> pages_of(std::span<const Command> commands)
{
    std::vector<CommandPage> pages;
    collected = &pages;
    for (const Command& command : commands) {
        command.run({"--help"});
        pages.back().brief = command.summary;
        const auto children = pages.back().children; // the vector grows
        for (const auto& [name, summary] : children) {
            command.run({name, "--help"});
            pages.back().brief = summary;
        }
    }
    collected = nullptr;
    return pages;
}

} // namespace chamomile::app
