/// \file  Options as Python's keyword arguments.
#pragma once

#include <map>
#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/integrate/scheme.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/structures/cosmology_options.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// Reads the keywords of chamomile.Options; those that are None count as not given. Throws
/// Error(usage) naming an unknown keyword, a word that is not allowed, or options that contradict
/// each other.
KeyedOptions read_options(nb::dict keywords);

/// Returns a number, or a text such as "1 Gyr" as a number in the frame's units. Throws
/// nb::type_error or Error(usage).
double quantity(const std::string& name, nb::handle value, Dimension dimension,
                const UnitFrame& frame);

/// A KeyedSimulation is a KeyedScheme with the options of cosmological runs.
class KeyedSimulation : public KeyedScheme {
public:
    CosmologyRequest cosmology;

    bool take(const std::string& key, const std::string& value);
    std::map<std::string, std::string> texts() const;
};

/// Reads the keywords of chamomile.SimulationOptions in the same way, with quantities in the units
/// of the frame; they are not resolved yet.
KeyedSimulation read_simulation(nb::dict keywords, const UnitFrame& frame);

/// Takes what the snapshot states where no keyword gives it, and the end: `end_time` of plain
/// coordinates, else that of the request. Throws Error(usage) and Error(input).
double take_from(Snapshot& snapshot, std::optional<double> end_time, KeyedSimulation& keyed);

/// A KeyedRun holds the settings of a run by keywords.
struct KeyedRun {
    RunSettings settings;
    GivenOptions given; ///< by the names of the command line

    void take(const std::string& key, const std::string& value);
};

/// Returns a text of the library with options spelled as in Python.
std::string in_python(const std::string& text);

/// Reads the keywords of chamomile.RunSettings for a run with these options of cosmology. Throws
/// Error(usage) for a setting that would have no effect.
KeyedRun read_run(nb::dict keywords, const CosmologyRequest& cosmology, const UnitFrame& frame);

/// NamedOptions are options by the names of the command line, with their texts, as checkpoints keep
/// them.
using NamedOptions = std::map<std::string, std::string>;

/// Throws Error(restart) for the first option that differs from the run's beginning and must not.
void require_same_options(const NamedOptions& earlier, const NamedOptions& now);

/// Returns the options in force as keywords of chamomile.Options.
nb::dict describe_options(const SolverOptions& options);

} // namespace chamomile::python
