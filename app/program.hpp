/// \file  A program of subcommands: how it is called, speaks of faults and ends.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace chamomile::app {

/// One subcommand: its name, a line for `--help`, and what runs it. `run` takes the arguments after
/// the name and returns the exit status; it throws Error for everything else.
struct Command {
    const char* name;
    const char* summary;
    int (*run)(const std::vector<std::string>& arguments);
};

/// The name of the program in what it prints.
extern std::string program_name;

/// Finds the subcommand, turns what it throws into one line and an exit status, and returns that.
/// `about` tells what the program does.
int run_program(const char* about, std::span<const Command> commands,
                const std::vector<std::string>& arguments);

/// Says on standard error, with --quiet too, that a result cannot be trusted.
void warn(const std::string& line);

} // namespace chamomile::app
