/// \file  The Python program behind `chamomile plot`: interfaces/python/chamomile/_plots.py.
#pragma once

#include <string>
#include <vector>

#include "app/command_files.hpp"

namespace chamomile::app {

extern const char* const plot_script;

/// A PlotRequest says what to draw: tables in the folders of runs, or a file of force errors.
struct PlotRequest {
    std::vector<std::string> folders, plots, formats = {"svg", "png"};
    Output output;
    std::string python = "python3";
};

/// Returns --format and --python.
std::vector<OptionRow<PlotRequest>> drawing_rows();

/// Throws Error(usage) for a program that cannot run Python code.
void require_python(const std::string& python);

/// Draws, and returns the exit status; a failure prints one error line.
int draw(const PlotRequest& request, bool is_quiet);

} // namespace chamomile::app
