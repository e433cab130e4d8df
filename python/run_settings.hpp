/// \file  The settings of a run that writes to a folder, as Python and as the program name them.
#pragma once

#include <map>
#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/run/run_folder.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// Where a run writes to and what it finds there.
struct FolderSettings {
    std::string folder;
    EarlierResults earlier = EarlierResults::refused;
    RunSettings run;
};

/// Reads the keywords of Simulation.run(); None counts as not given. Throws Error(usage).
FolderSettings read_run_settings(nb::dict keywords);

/// Keywords of Simulation.run() by the names of the program's options, as its checkpoints keep
/// them.
std::map<std::string, std::string> program_options(nb::dict keywords);

/// Throws Error(restart) for the first option that is another than when the run began and may not
/// be.
void require_same_options(const std::map<std::string, std::string>& earlier,
                          const std::map<std::string, std::string>& now);

} // namespace chamomile::python
