/// \file  A run with its files: outputs, stops and continuation.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "chamomile/run/files/checkpoints.hpp"
#include "chamomile/run/files/cluster_tables.hpp"
#include "chamomile/run/files/energy_file.hpp"
#include "chamomile/run/files/force_file.hpp"
#include "chamomile/run/files/frames.hpp"
#include "chamomile/run/files/light_cone_files.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/files/snapshot_writer.hpp"
#include "chamomile/run/files/step_file.hpp"
#include "chamomile/run/files/track_file.hpp"
#include "chamomile/run/journal.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/run_state.hpp"
#include "chamomile/run/stop_requests.hpp"
#include "chamomile/run/texts/introduction.hpp"
#include "chamomile/run/texts/progress.hpp"
#include "chamomile/run/viewing.hpp"

namespace chamomile {

/// An Inaccurate reports results less accurate than required. The program ends with its message and
/// this exit status.
class Inaccurate : public Error {
public:
    static constexpr int status = 8;
    explicit Inaccurate(const std::string& line) : Error(Fault::numeric, line) {}
};

/// Returns the time between snapshots: the given one or a tenth of the run.
double snapshot_interval(const RunSettings& settings, double start, double end);

/// A RunJob is a run with its files. Keeps references to all arguments except `origin`. Its many
/// members are the parts of a run: solver, integrator, files, tables.
class RunJob {
public:
    /// `simulation` must hold the particles of `state`. Its earlier observers are called before the
    /// run's. `origin` holds options, input, command and files; the rest follows from `simulation`.
    RunJob(const RunSettings& settings, const RunOrigin& origin, RunFolder& folder, Snapshot& state,
           Simulation& simulation, Journal& journal);

    /// Starts a new run's log: prints `lines`, records the result of the device check, and sets the
    /// provenance of the state. Call before execute().
    void introduce(const RunDescription& description, const std::vector<std::string>& lines,
                   const std::string& checked);

    /// Restores a checkpoint's state, logs the continuation and opens the files. Call before
    /// execute(). `earlier` is the origin in the checkpoint. Throws Error(restart).
    void continue_run(const RestartPoint& point, const RunOrigin& earlier,
                      const RunDescription& description, const std::vector<std::string>& notes,
                      const std::string& checked);

    /// Shows the run to viewers, who may pause and stop it. Call before execute(). During a pause
    /// `between` is called repeatedly.
    void show_in(LiveView& view, const std::string& name, std::function<void()> between = {});

    /// Runs to the end, or to a stop by request or energy error, which writes a checkpoint. On an
    /// exception, tries to write a checkpoint and rethrows. Throws Inaccurate if the energy error
    /// ends the run.
    void execute();

    int frames() const { return frames_.count(); } ///< pictures in the folder

    bool has_results() const { return energies_.is_open(); }
    /// Returns whether the folder contains a checkpoint of this run.
    bool has_checkpoint() const { return has_checkpoint_; }

private:
    void print_introduction(const RunDescription& description,
                            const std::vector<std::string>& lines, const std::string& checked);
    void begin_viewing(StopRequests& requests);
    void register_observers();
    void restore(Archive& archive);
    void reopen_files();
    void open_files();
    bool tracks() const { return !run_.track.empty(); }
    void write_outputs();
    void finish_snapshot(); ///< waits until the last snapshot is on disk
    void set_time();        ///< sets the time of the state to be written
    void write_frame();
    void record_choice();
    void record_energies();
    void check_energies();
    std::string energy_limit() const;
    bool exceeds_limit(double error) const;
    std::string softening_work() const;
    void record_forces();
    void warn_of_forces();
    void after_step(StopRequests& requests);
    bool ends_by(StopRequests& requests);
    bool is_checkpoint_due(StopRequests& requests) const;
    void exchange(Archive& archive);
    std::filesystem::path write_checkpoint();
    void rescue();
    void print_how_to_continue(const std::string& what, const std::filesystem::path& checkpoint);
    void summarize(double seconds);
    void print_rates(double seconds);
    void print_errors();
    void print_files();

    const RunSettings& run_;
    RunOrigin origin_;
    RunFolder& folder_;
    Snapshot& state_;
    Simulation& simulation_;
    Journal& journal_;
    EnergyFile energies_;
    StepFile steps_;
    ForceFile forces_;
    TrackFile track_;
    ClusterTables tables_;
    std::optional<LightConeFiles> light_cone_;
    Progress progress_;
    SnapshotWriter snapshots_;
    std::string written_; ///< log line for the last snapshot
    Checkpoints checkpoints_;
    Frames frames_;
    LiveView* live_view_ = nullptr;
    std::string name_in_view_;
    std::function<void()> between_;
    std::optional<Viewing> viewing_; ///< on live_view_
    int outputs_ = 0;
    std::uint64_t first_step_ = 0; ///< at start or restart
    std::uint64_t checkpoint_step_ = 0;
    double checkpoint_time_ = wall_clock_seconds(); ///< wall-clock time of the last checkpoint
    bool restored_ = false, has_checkpoint_ = false;
    bool has_energy_warning_ = false, has_force_warning_ = false, has_softening_warning_ = false;
    std::string inaccuracy_; ///< why the run ends; empty: accurate
};

} // namespace chamomile
