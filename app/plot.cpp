/// \file  `chamomile plot`: draws tables from a run with Python's matplotlib.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command.hpp"
#include "app/options/options.hpp"
#include "app/plot_script.hpp"

namespace chamomile::app {
namespace {

/// Runs the Python program and returns its exit status. Throws Error(usage) if no Python is found.
int run_python(const std::string& python, const std::vector<std::string>& arguments)
{
    std::vector<char*> words;
    for (const std::string& word : arguments)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_t child = 0;
    const int fault = posix_spawnp(&child, python.c_str(), nullptr, nullptr, words.data(), environ);
    if (fault != 0)
        throw Error(Fault::usage, "--python: " + python + ": " + std::strerror(fault) +
                                      ": Python 3 with matplotlib is needed "
                                      "(Debian: python3-matplotlib)");
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            throw Error(Fault::output, "--python: " + python + ": " + std::strerror(errno));
    if (!WIFEXITED(status))
        throw Error(Fault::output, "--python: " + python + ": was ended by a signal");
    return WEXITSTATUS(status);
}

/// Throws Error(usage) for a program that cannot run Python code.
void require_python(const std::string& python)
{
    constexpr int answer = 77;
    if (run_python(python, {python, "-c",
                            "import sys; sys.exit(" + std::to_string(answer) + ")"}) != answer)
        throw Error(Fault::usage, "--python: " + python + ": is no Python 3");
}

} // namespace

int plot(const std::vector<std::string>& arguments)
{
    std::string folder, output, python = "python3";
    std::vector<std::string> plots, formats = {"svg", "png"};
    bool overwrite = false;
    Options options("plot", "Draws the tables of a run with axes, units and legends: energies, "
                            "radii, steps, and of --power, --halos and --profile the power "
                            "spectrum, the mass function and profiles.");
    options.positional("FOLDER", folder, "the folder of the run");
    options.group("Plots");
    options.texts("plots", "NAME,...", plots,
                  "some of energies, radii, steps, power, mass-function, profiles; unless given "
                  "all that there are tables for",
                  {"energies", "radii", "steps", "power", "mass-function", "profiles"});
    options.group("Output");
    options.text("output,o", "FOLDER", output,
                 "the folder of the plots; 'plots' in that of the run unless given");
    options.texts("format", "NAME,...", formats, "svg, png or both", {"svg", "png"});
    options.flag("overwrite", overwrite, "replace files of these names");
    options.text("python", "PROGRAM", python, "the Python that has matplotlib");
    if (!options.parse(arguments))
        return 0;
    std::fflush(stdout);
    require_python(python);
    return run_python(python,
                      {python, "-c", plot_script, folder, output, joined(plots), joined(formats),
                       overwrite ? "1" : "0", options.verbosity() == Verbosity::quiet ? "1" : "0"});
}

} // namespace chamomile::app
