/// \file  What a run writes, and when it ends.
///
/// A new setting is a member and a row in run_settings.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "chamomile/core/option_row.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/structures/run_analysis.hpp"

namespace chamomile {

/// What to do when the energy error is beyond its limit.
enum class EnergyErrorAction { stop, warn };

/// When a run writes what, and what ends it. Times are those of the simulation: ln a of comoving
/// runs.
struct RunSettings {
    CosmologyRequest cosmology;
    RunAnalysis analysis;
    std::optional<double> snapshot_every; ///< none: a tenth of the run
    std::optional<double> energy_every;   ///< none: every ten steps
    std::uint64_t steps_every = 1;        ///< steps between lines of steps.csv
    std::uint64_t check_forces = 0;       ///< particles in forces.csv; 0: none
    std::optional<std::uint64_t> check_forces_every;
    bool frames = false;
    std::optional<double> frames_every, frame_width;
    std::optional<std::uint64_t> checkpoint_every; ///< steps
    double checkpoint_walltime = 900;              ///< seconds; 0: none by time
    std::optional<double> max_walltime, max_energy_error;
    EnergyErrorAction on_energy_error = EnergyErrorAction::stop;
    SettingNames names;
};

/// The options of RunSettings but for those of cosmology, in two groups: of stops and of output.
const std::vector<OptionRow<RunSettings>>& run_options();

/// The first option that is given and that nothing would use.
Refusal refuse_idle_settings(const RunSettings& settings, const GivenOptions& given);

/// The names of the options that may be others when a run goes on.
const std::vector<std::string>& changeable_options();

} // namespace chamomile
