/// \file  The settings of a run: outputs and end.
///
/// A new setting is a member and a row in run_settings.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/io/pictures/render.hpp"
#include "chamomile/run/files/cluster_tables.hpp"
#include "chamomile/run/files/light_cone_files.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/structures/run_analysis.hpp"

namespace chamomile {

/// What to do if the energy error exceeds its limit.
enum class EnergyErrorAction { stop, warn };

/// RunSettings states what a run writes and when, and what ends it. Times are simulation times: ln
/// a in comoving runs. A member for each setting.
struct RunSettings {
    CosmologyRequest cosmology;
    RunAnalysis analysis;
    ClusterRequest cluster;
    LightConeRequest light_cone;
    std::optional<double> snapshot_every;      ///< none: a tenth of the run
    std::vector<double> output_times;          ///< of snapshots, in plain time; empty: at intervals
    int files = 1;                             ///< pieces of a snapshot
    std::optional<double> energy_every;        ///< none: every ten steps
    std::uint64_t steps_every = 1;             ///< steps between lines of steps.csv
    std::string track;                         ///< ids in track.csv, or a file of ids; empty: none
    std::uint64_t track_every = 1;             ///< steps between rows
    std::optional<std::uint64_t> track_blocks; ///< blocks between rows within whole steps
    std::uint64_t check_forces = 0;            ///< particles in forces.csv; 0: none
    std::optional<std::uint64_t> check_forces_every;
    bool frames = false;
    std::optional<double> frames_every;
    std::optional<int> frame_size;                 ///< pixels
    RenderOptions frame_view;                      ///< of the frames
    std::optional<std::uint64_t> checkpoint_every; ///< steps
    double checkpoint_walltime = 900;              ///< seconds; 0: none by time
    std::optional<double> max_walltime, max_energy_error;
    EnergyErrorAction on_energy_error = EnergyErrorAction::stop;
    /// Write snapshots in a background thread. Then the process must not use HDF5 elsewhere, except
    /// through Chamomile.
    bool writes_beside = true;
};

/// Returns the options of RunSettings except cosmology, in two groups: stops and output.
const std::vector<OptionRow<RunSettings>>& run_options();

/// Returns an error for the first given option without effect.
Refusal refuse_idle_settings(const RunSettings& settings, const GivenOptions& given);

/// Returns the listed snapshot times in simulation time; empty: at intervals.
std::vector<double> listed_outputs(const RunSettings& settings);

/// Returns an error if a listed time of a new run in plain time is not between start and end.
Refusal refuse_outputs(const RunSettings& settings, double start, double end);

/// Returns how texts name options on the command line: "--theta", "--set frames.every".
const Spelling& command_line_spelling();

/// Returns the names of the options that may change on a restart.
const std::vector<std::string>& changeable_options();

} // namespace chamomile
