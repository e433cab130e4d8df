/// \file  The settings of a run: what it writes, and when it ends.
///
/// A new setting is a member and a row in run_settings.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/io/pictures/render.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/structures/run_analysis.hpp"

namespace chamomile {

/// An EnergyErrorAction is taken when the energy error is beyond its limit.
enum class EnergyErrorAction { stop, warn };

/// RunSettings states what a run writes when, and what ends it. Times are those of the simulation:
/// ln a for comoving runs.
struct RunSettings {
    CosmologyRequest cosmology;
    RunAnalysis analysis;
    std::optional<double> snapshot_every; ///< none: a tenth of the run
    std::vector<double> output_times;     ///< of snapshots, in plain time; none: at intervals
    std::optional<double> energy_every;   ///< none: every ten steps
    std::uint64_t steps_every = 1;        ///< steps between lines of steps.csv
    std::uint64_t check_forces = 0;       ///< particles in forces.csv; 0: none
    std::optional<std::uint64_t> check_forces_every;
    bool frames = false;
    std::optional<double> frames_every;
    std::optional<int> frame_size;                 ///< pixels
    RenderOptions frame_view;                      ///< of the pictures
    std::optional<std::uint64_t> checkpoint_every; ///< steps
    double checkpoint_walltime = 900;              ///< seconds; 0: none by time
    std::optional<double> max_walltime, max_energy_error;
    EnergyErrorAction on_energy_error = EnergyErrorAction::stop;
    /// Snapshots are written while the run goes on, so nobody else may use HDF5's library meanwhile
    /// but through this one.
    bool writes_beside = true;
};

/// Returns the options of RunSettings without those of cosmology, in two groups: stops and output.
const std::vector<OptionRow<RunSettings>>& run_options();

/// Returns a refusal of the first given option that would have no effect.
Refusal refuse_idle_settings(const RunSettings& settings, const GivenOptions& given);

/// Returns the times of snapshots that are listed, in the time of the run; none: at intervals.
std::vector<double> listed_outputs(const RunSettings& settings);

/// Returns a refusal of a listed time of a new run in plain time that does not lie between its
/// start and its end.
Refusal refuse_outputs(const RunSettings& settings, double start, double end);

/// Returns the names of the options that may change when a run is continued.
const std::vector<std::string>& changeable_options();

} // namespace chamomile
