/// \file  Program with subcommands: dispatch, error lines and exit status.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace chamomile::app {

/// A Command is a subcommand: name, one line for `--help`, and function. `run` takes the arguments
/// after the name and returns the exit status; failures throw Error.
struct Command {
    const char* name;
    const char* summary;
    int (*run)(const std::vector<std::string>& arguments);
};

/// Program name for output.
extern std::string program_name;

/// Ends the process with an error line if the stack is too small to work. Call it first.
void require_stack();

/// Runs the subcommand and returns the exit status. Turns exceptions into one line and a status.
/// `about` describes the program.
int run_program(const char* about, std::span<const Command> commands,
                const std::vector<std::string>& arguments);

/// Returns the subcommands of the running program.
std::span<const Command> program_commands();

/// Prints a warning on standard error, even with --quiet: a result cannot be trusted.
void warn(const std::string& line);

} // namespace chamomile::app
