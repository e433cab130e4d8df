/// \file  `chamomile plot`: draws tables from a run and force errors with Python's matplotlib.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command.hpp"
#include "app/command_files.hpp"
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

} // namespace

void require_python(const std::string& python)
{
    constexpr int answer = 77;
    if (run_python(python, {python, "-c",
                            "import sys; sys.exit(" + std::to_string(answer) + ")"}) != answer)
        throw Error(Fault::usage, "--python: " + python + ": is no Python 3");
}

std::vector<OptionRow<PlotRequest>> drawing_rows()
{
    OptionRows<PlotRequest> t;
    t.group("Output");
    t.texts("format", &PlotRequest::formats, "NAME,...", "svg, png or both", {"svg", "png"});
    t.text("python", &PlotRequest::python, "PROGRAM", "the Python that has matplotlib");
    return t.take();
}

int draw(const PlotRequest& request, bool is_quiet)
{
    std::fflush(stdout);
    std::vector<std::string> words{request.python,
                                   "-c",
                                   plot_script,
                                   request.output.file,
                                   joined(request.plots),
                                   joined(request.formats),
                                   request.output.overwrite ? "1" : "0",
                                   is_quiet ? "1" : "0"};
    words.insert(words.end(), request.folders.begin(), request.folders.end());
    return run_python(request.python, words);
}

int plot(const std::vector<std::string>& arguments)
{
    PlotRequest request;
    Options options("plot", "Draws the tables of a run with axes, units and legends: energies, "
                            "radii, steps, and of --power, --halos and --profile the power "
                            "spectrum, the mass function and profiles, of --bound and --cluster "
                            "their tables; or the force errors that "
                            "'accuracy --hdf5' wrote.");
    options.positional("FOLDER", request.folders,
                       "the folders of runs, drawn together, or a file of errors");
    OptionRows<PlotRequest> t;
    t.group("Plots");
    t.texts("plots", &PlotRequest::plots, "NAME,...",
            "of a run energies, radii, steps, power, mass-function, profiles, bound, cluster, "
            "escapers, binaries or encounters; of force errors "
            "distribution, cost or radius; default: each with a table",
            {"energies", "radii", "steps", "power", "mass-function", "profiles", "bound", "cluster",
             "escapers", "binaries", "encounters", "distribution", "cost", "radius"});
    options.add(t.take(), request);
    options.add(drawing_rows(), request);
    options.add(
        output_rows(
            "output,o", "FOLDER",
            "the folder of the plots; unless given 'plots' in the folder of the run, or the "
            "folder of the file"),
        request.output);
    if (!options.parse(arguments))
        return 0;
    require_python(request.python);
    return draw(request, options.verbosity() == Verbosity::quiet);
}

} // namespace chamomile::app
