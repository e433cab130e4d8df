/// \file  The description of a command, source for --help, manual and completions.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/program.hpp"
#include "chamomile/core/options/option_row.hpp"

namespace chamomile::app {

struct PageArgument {
    std::string metavar, help;
    bool is_required = true;
};

/// The group of the options that every command takes.
inline constexpr const char* common_group = "Common options";

struct PageOption : OptionTerms {
    std::string value = {}; ///< the default as text, or empty
    bool is_common = true;  ///< --help lists it; otherwise only --help-all does

    /// Returns "-n, --particles N" or "frames.every=X" in these two parts.
    std::string label() const;
    std::string operand() const;
    /// Returns the help with the default in brackets.
    std::string text() const { return help + (value.empty() ? "" : " [" + value + "]"); }
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
enum class Extent { common, all, settings };

/// Prints the page for --help or --help-all.
void show_help(const CommandPage& page, Extent extent);

/// Returns the pages for all commands and subcommands, in order. Calls each command with --help.
std::vector<CommandPage> pages_of(std::span<const Command> commands);

} // namespace chamomile::app
