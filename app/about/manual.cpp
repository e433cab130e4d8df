/// \file  `chamomile manual`: writes a `man` page for each command.
#include <cstdio>
#include <filesystem>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/command_page.hpp"
#include "app/options/options.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/version.hpp"

namespace chamomile::app {
namespace {

/// Returns the text with characters escaped for roff.
std::string roff(const std::string& text)
{
    std::string result;
    for (char c : text) {
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
            result += std::string("\\&") + c;
        else
            result += c;
    }
    return result;
}

/// Returns "chamomile-model-king" for the command "model king".
std::string page_name(const std::string& command)
{
    std::string name = "chamomile" + (command.empty() ? "" : "-" + command);
    for (char& c : name)
        c = c == ' ' ? '-' : c;
    return name;
}

std::string item(const std::string& name, const std::string& text)
{
    return ".TP\n" + name + "\n" + roff(text) + "\n";
}

std::string manual_page(const CommandPage& page)
{
    std::string title = page_name(page.command);
    std::string text = ".TH \"" + roff(title) + "\" 1 " + release_date + " \"Chamomile " +
                       std::string(version).substr(0, std::string(version).find(' ')) +
                       "\" \"Chamomile\"\n.SH NAME\n" + roff(title) + " \\- " + roff(page.brief) +
                       "\n.SH SYNOPSIS\n" + roff(page.usage()) + "\n.SH DESCRIPTION\n" +
                       roff(page.summary) + "\n";
    if (!page.arguments.empty())
        text += ".SH ARGUMENTS\n";
    for (const PageArgument& argument : page.arguments)
        text += item("\\fI" + roff(argument.metavar) + "\\fR", argument.help);
    if (!page.children.empty())
        text += ".SH " + page.children_title + "\n";
    for (const auto& [name, what] : page.children)
        text += item("\\fB" + roff(name) + "\\fR", what);
    if (!page.options.empty())
        text += ".SH OPTIONS\n";
    for (const std::string& group : page.groups()) {
        text += ".SS " + roff(group) + "\n";
        for (const PageOption& option : page.options)
            if (option.group == group)
                text += item("\\fB" + roff(option.label()) + "\\fR\\fI" + roff(option.operand()) +
                                 "\\fR",
                             option.text());
    }
    return text + ".SH SEE ALSO\n" + (page.command.empty() ? "" : "\\fBchamomile\\fR(1), ") +
           "the tutorials, guides and reference that are installed in doc/chamomile\n";
}

/// Returns the page of the program itself.
CommandPage overview(std::span<const Command> commands)
{
    CommandPage page{.brief = "gravity of N particles",
                     .summary = "Chamomile computes the gravity of N particles with a hybrid "
                                "treecode on CPUs and GPUs. Each command has a page of its own, "
                                "such as chamomile-run(1). An error is one line, and the exit "
                                "status tells its kind.",
                     .children_title = "COMMANDS"};
    page.arguments.push_back({"COMMAND", "one of the commands below"});
    for (const Command& command : commands)
        page.children.emplace_back(command.name, command.summary);
    return page;
}

} // namespace

int manual(const std::vector<std::string>& arguments)
{
    Output folder;
    Options options("manual", "Writes the pages of the manual, for 'man', one for each command.");
    options.positional("FOLDER", folder.file,
                       "which must exist, for chamomile.1, chamomile-run.1, ...");
    options.add(overwrite_row(), folder);
    if (!options.parse(arguments))
        return 0;
    std::vector<CommandPage> pages = pages_of(program_commands());
    pages.push_back(overview(program_commands()));
    std::vector<Output> files;
    for (const CommandPage& page : pages) {
        files.push_back(
            {(std::filesystem::path(folder.file) / (page_name(page.command) + ".1")).string(),
             folder.overwrite, "FOLDER"});
        require_writable("manual", files.back());
    }
    for (std::size_t k = 0; k < files.size(); ++k)
        write_text(files[k], manual_page(pages[k]));
    if (options.verbosity() != Verbosity::quiet)
        std::printf("wrote %zu pages to %s\n", files.size(), folder.file.c_str());
    return 0;
}

} // namespace chamomile::app
