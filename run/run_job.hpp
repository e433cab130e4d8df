/// \file  A run with its files: what it writes when, how it ends and how it is continued.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "chamomile/io/pictures/render.hpp"
#include "chamomile/run/files/checkpoints.hpp"
#include "chamomile/run/files/energy_file.hpp"
#include "chamomile/run/files/force_file.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/files/snapshot_writer.hpp"
#include "chamomile/run/files/step_file.hpp"
#include "chamomile/run/journal.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/run_state.hpp"
#include "chamomile/run/stop_requests.hpp"
#include "chamomile/run/texts/introduction.hpp"
#include "chamomile/run/texts/progress.hpp"
#include "chamomile/run/viewing.hpp"

namespace chamomile {

/// An Inaccurate reports that the results are less accurate than demanded. The program ends with
/// the line and this exit status.
class Inaccurate : public Error {
public:
    static constexpr int status = 8;
    explicit Inaccurate(const std::string& line) : Error(Fault::numeric, line) {}
};

/// Returns the time between snapshots: the one given or a tenth of the run.
double snapshot_interval(const RunSettings& settings, double start, double end);

/// A RunJob is a run with its files. It keeps references to all arguments but the origin.
class RunJob {
public:
    /// `simulation` has the particles of `state`; its own observers are called before those of the
    /// run.
    RunJob(const RunSettings& settings, const RunOrigin& origin, RunFolder& folder, Snapshot& state,
           Simulation& simulation, Journal& journal);

    /// Introduces a new run, before execute(): prints the lines and records whether its device was
    /// checked.
    void introduce(const RunDescription& description, const std::vector<std::string>& lines,
                   const std::string& checked);

    /// Restores the state of a checkpoint, introduces the continued run and opens its files, before
    /// execute(). `earlier` is the origin of the checkpoint. Throws Error(restart).
    void continue_run(const RestartPoint& point, const RunOrigin& earlier,
                      const RunDescription& description, const std::vector<std::string>& notes,
                      const std::string& checked);

    /// Shows the run to viewers, before execute(), who may hold and stop it. `between` is called
    /// again and again while they hold it.
    void show_in(LiveView& view, const std::string& name, std::function<void()> between = {});

    /// Runs to the end, or to a stop on request or because of the energy error, which writes a
    /// checkpoint. An exception also writes one if possible, and is passed on. Throws Inaccurate
    /// for an energy error that ends the run.
    void execute();

    int frames() const { return frames_; } ///< pictures in the folder

    bool has_results() const { return energies_.is_open(); }
    /// Returns whether the folder has a checkpoint of this run.
    bool has_checkpoint() const { return has_checkpoint_; }

private:
    void begin_viewing(StopRequests& requests);
    void register_observers();
    void restore(Archive& archive);
    void reopen_files();
    void open_files();
    void write_outputs();
    void finish_snapshot(); ///< waits until the last snapshot is on the disk
    void take_time();       ///< takes the time into the state that is written
    void choose_frames();
    void write_frame();
    void record_choice();
    void note_energies();
    void check_energies();
    std::string energy_limit() const;
    bool exceeds_limit(double error) const;
    std::string softening_work() const;
    void note_forces();
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
    Progress progress_;
    SnapshotWriter snapshots_;
    std::string written_; ///< the line that says which snapshot was written
    Checkpoints checkpoints_;
    RenderOptions frame_view_;
    LiveView* live_view_ = nullptr;
    std::string name_in_view_;
    std::function<void()> between_;
    std::optional<Viewing> viewing_; ///< of live_view_
    int outputs_ = 0, frames_ = 0;
    std::uint64_t first_step_ = 0; ///< at the start or restart
    std::uint64_t checkpoint_step_ = 0;
    double checkpoint_time_ = wall_clock_seconds(); ///< wall-clock time of the last checkpoint
    bool restored_ = false, has_checkpoint_ = false;
    bool has_energy_warning_ = false, has_force_warning_ = false, has_softening_warning_ = false;
    std::string inaccuracy_; ///< the reason that ends the run
};

} // namespace chamomile
