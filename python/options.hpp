/// \file  Options as Python's keyword arguments.
#pragma once

#include <map>
#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/integrate/scheme.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// From the keywords of chamomile.Options; those that are None count as not given. Throws
/// Error(usage) naming an unknown one, a word that is none of those allowed, or what contradicts
/// another.
SolverOptions read_options(nb::dict keywords);

/// The same with those of chamomile.SimulationOptions; not settled yet.
KeyedScheme read_scheme(nb::dict keywords);

/// Settings of a run by keywords.
struct KeyedRun {
    RunSettings settings;
    GivenOptions given; ///< by the names of the command line

    void take(const std::string& key, const std::string& value);
};

/// Their names in Python, with those of a Simulation.
const PlainNames& plain_names_of_settings();

/// From the keywords of chamomile.RunSettings. Throws Error(usage) for one that nothing would use.
KeyedRun read_run(nb::dict keywords);

/// Options by the names of the command line, with their texts, as checkpoints keep them.
using NamedOptions = std::map<std::string, std::string>;

/// Throws Error(restart) for the first option that is another than when the run began and may not
/// be.
void require_same_options(const NamedOptions& earlier, const NamedOptions& now);

/// The keywords of chamomile.Options, of options in force.
nb::dict describe_options(const SolverOptions& options);

} // namespace chamomile::python
