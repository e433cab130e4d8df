/// \file  A program of subcommands: dispatch, error lines and exit status.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace chamomile::app {

/// A Command is a subcommand: its name, a line for `--help`, and its function. `run` takes the
/// arguments after the name and returns the exit status; it throws Error for everything else.
struct Command {
    const char* name;
    const char* summary;
    int (*run)(const std::vector<std::string>& arguments);
};

/// The name of the program in its output.
extern std::string program_name;

/// Ends the process with a line if its stack is so small that it would die in the middle of its
/// work. Call it first.
void require_stack();

/// Runs the subcommand, turns its exceptions into one line and an exit status, and returns that.
/// `about` describes the program.
int run_program(const char* about, std::span<const Command> commands,
                const std::vector<std::string>& arguments);

/// Returns the subcommands of the program that runs.
std::span<const Command> program_commands();

/// Prints on standard error, also with --quiet, that a result cannot be trusted.
void warn(const std::string& line);

} // namespace chamomile::app
