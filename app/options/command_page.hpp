/// \file  The description of a command, source for --help, manual and completions.
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
    std::string value; ///< default as text; empty: no default
    bool is_flag = false;
    bool is_common = true; ///< in --help; otherwise only in --help-all
};

/// A CommandPage lists options in --help order, group by group.
struct CommandPage {
    std::string command = {};
    std::string brief = {}; ///< one line, added by pages_of()
    std::string summary = {};
    std::vector<PageArgument> arguments = {};
    bool repeats_last_argument = false;
    std::vector<PageOption> options = {};
    std::string children_title;                                     ///< such as "Models"
    std::vector<std::pair<std::string, std::string>> children = {}; ///< subcommands and summaries

    /// Returns "chamomile run [FILE] [OPTION ...]".
    std::string usage() const;
    /// Returns the group titles in order.
    std::vector<std::string> groups() const;
};

/// Which options the help text lists.
enum class Extent { common, all };

/// Prints the page for --help or --help-all.
void show_help(const CommandPage& page, Extent extent);

/// Returns the pages for all commands and subcommands, in order. Calls each command with --help.
std::vector<CommandPage> pages_of(std::span<const Command> commands);

} // namespace chamomile::app
