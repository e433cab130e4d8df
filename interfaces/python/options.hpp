/// \file  Options as Python keyword arguments.
#pragma once

#include <map>
#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/integrate/scheme.hpp"
#include "chamomile/run/begin.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/structures/cosmology_options.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// Returns a value as text for its option row. Throws nb::type_error for a wrong Python type.
std::string option_text(const OptionTerms& row, const std::string& key, nb::handle value);

/// Reads the keywords of chamomile.Options; None means not given. Throws Error(usage) naming an
/// unknown keyword, an invalid word, or contradicting options.
KeyedOptions read_options(nb::dict keywords);

/// Returns a number, or a text such as "1 Gyr" converted to the frame's units. Throws
/// nb::type_error or Error(usage).
double quantity(const std::string& name, nb::handle value, Dimension dimension,
                const UnitFrame& frame);

/// A KeyedSimulation is an IntegratorOptionsReader with options for cosmological runs.
class KeyedSimulation : public IntegratorOptionsReader {
public:
    CosmologyRequest cosmology;

    bool take(const std::string& key, const std::string& value);
    std::map<std::string, std::string> texts() const;
};

/// Like read_options(), but reads chamomile.SimulationOptions, with quantities in the units of
/// `frame`. The options are not resolved yet.
KeyedSimulation read_simulation(nb::dict keywords, const UnitFrame& frame);

/// The clock of a time loop, and its times in this clock.
struct TimeLoopOptions {
    std::shared_ptr<const Clock> clock;
    SimulationOptions time;
};

/// Completes options from the snapshot if no keyword gives them. `end_time` is for plain
/// coordinates. Throws Error(usage) and Error(input).
TimeLoopOptions complete(Snapshot& snapshot, std::optional<double> end_time,
                         KeyedSimulation& keyed);

/// A KeyedRun holds the settings of a run, read from keywords.
struct KeyedRun {
    RunSettings settings;
    GivenOptions given; ///< by command-line name

    void take(const std::string& key, const std::string& value);
};

/// Returns a text of the library with options spelled as in Python.
std::string in_python(const std::string& text);

/// Reads the keywords of chamomile.RunSettings for a run with these cosmology options. Throws
/// Error(usage) for a setting without effect.
KeyedRun read_run(nb::dict keywords, const CosmologyRequest& cosmology, const UnitFrame& frame);

/// NamedOptions maps command-line names to option texts, as stored in checkpoints.
using NamedOptions = std::map<std::string, std::string>;

/// Throws Error(restart) for the first option that has changed since the start but must not.
void require_same_options(const NamedOptions& earlier, const NamedOptions& now);

/// Returns the resolved options as keywords of chamomile.Options.
nb::dict describe_options(const SolverOptions& options);

} // namespace chamomile::python
