#include "app/options/command_page.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace chamomile::app {

namespace {

/// Where show_help() puts pages instead of printing them, while pages_of() collects.
std::vector<CommandPage>* collected = nullptr;

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Prints a title and two columns, the second of which begins at `column` and is broken into lines.
void print_columns(const std::string& title, const Rows& rows, std::size_t column)
{
    constexpr std::size_t width = 100;
    if (!rows.empty())
        std::printf("\n%s:\n", title.c_str());
    for (const auto& [name, text] : rows) {
        std::string line = "  " + name;
        if (line.size() + 2 > column)
            line += "\n" + std::string(column, ' ');
        else
            line.resize(column, ' ');
        std::size_t at = column;
        for (const std::string& word : parts_of(text, ' ')) {
            if (at + word.size() > width) {
                line.pop_back(); // the blank
                line += "\n" + std::string(column, ' ');
                at = column;
            }
            line += word + " ";
            at += word.size() + 1;
        }
        std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
    }
}

/// Returns the rows of a group.
Rows rows_of(const CommandPage& page, const std::string& group, Extent extent)
{
    Rows rows;
    for (const PageOption& option : page.options)
        if (option.group == group && option.setting.empty() == (extent != Extent::settings) &&
            (extent != Extent::common || option.is_common))
            rows.emplace_back(option.label() + option.operand(), option.text());
    return rows;
}

/// Returns a row for each section of settings, with their keys.
Rows sections(const CommandPage& page)
{
    Rows rows;
    for (const PageOption& option : page.options)
        if (const std::size_t dot = option.setting.find('.'); dot != option.setting.npos) {
            const std::string name = option.setting.substr(0, dot);
            if (rows.empty() || rows.back().first != name)
                rows.emplace_back(name, "");
            rows.back().second.append(rows.back().second.empty() ? "" : ", ");
            rows.back().second.append(option.setting, dot + 1);
        }
    return rows;
}

} // namespace

std::string PageOption::label() const
{
    if (!setting.empty())
        return setting;
    return (letter.empty() ? "" : "-" + letter + ", ") + "--" + name;
}

std::string PageOption::operand() const
{
    return is_flag() ? "" : (setting.empty() ? " " : "=") + values;
}

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
    constexpr std::size_t near = 16, far = 33;
    const std::string call = program_name + " " + page.command;
    if (extent == Extent::settings)
        std::printf(
            "Rare options of '%s', by --set SECTION.KEY=VALUE, or in a file of --config by\n"
            "KEY = VALUE below [SECTION].\n",
            call.c_str());
    else
        std::printf("usage: %s\n\n%s\n", page.usage().c_str(), page.summary.c_str());
    if (extent != Extent::settings) {
        Rows arguments;
        for (const PageArgument& argument : page.arguments)
            arguments.emplace_back(argument.metavar, argument.help);
        print_columns("Arguments", arguments, near);
        print_columns(page.children_title, page.children, near);
    }
    for (const std::string& title : page.groups())
        print_columns(title, rows_of(page, title, extent), far);
    if (extent == Extent::all)
        print_columns("Settings, by --set SECTION.KEY=VALUE ('" + call +
                          " --help-settings' explains them)",
                      sections(page), near);
    const auto count = [&](bool settings) {
        return int(std::count_if(page.options.begin(), page.options.end(), [&](const auto& option) {
            return !option.is_common && option.setting.empty() != settings;
        }));
    };
    if (extent != Extent::common || count(false) == 0)
        return;
    std::printf("\n%d more options", count(false));
    if (count(true) > 0)
        std::printf(" and %d settings", count(true));
    std::printf(": %s --help-all\n", call.c_str());
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
