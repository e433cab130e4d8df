/// \file  What a command says of itself, from which --help, the manual and completions are made.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/program.hpp"

namespace chamomile::app {

struct PageArgument {
    std::string metavar, help;
    bool is_required = true;
};

struct PageOption {
    std::string name, letter, metavar, help, group;
    std::string value; ///< the default as text; it is empty if there is none
    bool is_flag = false;
    bool is_common = true; ///< --help lists it; otherwise only --help-all does
};

/// A CommandPage has the options in the order of --help, group by group.
struct CommandPage {
    std::string command = {};
    std::string brief = {}; ///< a line, which pages_of() adds
    std::string summary = {};
    std::vector<PageArgument> arguments = {};
    bool repeats_last_argument = false;
    std::vector<PageOption> options = {};
    std::string children_title; ///< such as "Models"
    std::vector<std::pair<std::string, std::string>> children =
        {}; ///< commands below it, summaries

    /// Returns "chamomile run [FILE] [OPTION ...]".
    std::string usage() const;
    /// Returns the titles of the groups, in order.
    std::vector<std::string> groups() const;
};

/// Which options a help lists.
enum class Extent { common, all };

/// Prints the page, for a command that was called with --help or --help-all.
void show_help(const CommandPage& page, Extent extent);

/// Returns the pages of the commands and of those below them, in order. Each command is called with
/// --help.
std::vector<CommandPage> pages_of(std::span<const Command> commands);

} // namespace chamomile::app
