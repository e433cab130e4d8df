/// \file  The subcommands of the program; each stands in the file of its name.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace chamomile::app {

/// One subcommand: its name, a line for `chamomile --help`, and what runs it. `run` takes the
/// arguments after the name and returns the exit status; it throws Error for everything else.
struct Command {
    const char* name;
    const char* summary;
    int (*run)(const std::vector<std::string>& arguments);
};

int accuracy(const std::vector<std::string>& arguments);
int bench(const std::vector<std::string>& arguments);
int convert(const std::vector<std::string>& arguments);
int devices(const std::vector<std::string>& arguments);
int fluid(const std::vector<std::string>& arguments);
int force(const std::vector<std::string>& arguments);
int halos(const std::vector<std::string>& arguments);
int info(const std::vector<std::string>& arguments);
int model(const std::vector<std::string>& arguments);
int pairs(const std::vector<std::string>& arguments);
int power(const std::vector<std::string>& arguments);
int render(const std::vector<std::string>& arguments);
int run(const std::vector<std::string>& arguments);

std::span<const Command> commands();

} // namespace chamomile::app
