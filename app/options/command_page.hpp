/// \file  What a command says of itself, from which --help, the manual and completions are made.
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
    std::string value = {}; ///< the default as text; it is empty if there is none
    bool is_common = true;  ///< --help lists it; otherwise only --help-all does

    /// Returns "-n, --particles N" or "frames.every=X" in these two parts.
    std::string label() const;
    std::string operand() const;
    /// Returns the help with the default in brackets.
    std::string text() const { return help + (value.empty() ? "" : " [" + value + "]"); }
};

/// A CommandPage has the options in the order of --help, group by group; settings come last, in a
/// group "[frames]" for each section.
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
enum class Extent { common, all, settings };

/// Prints the page, for a command that was called with --help, --help-all or --help-settings.
void show_help(const CommandPage& page, Extent extent);

/// Returns the pages of the commands and of those below them, in order. Each command is called with
/// --help.
std::vector<CommandPage> pages_of(std::span<const Command> commands);

} // namespace chamomile::app
