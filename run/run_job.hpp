/// \file  Everything that one run writes, and when; how it ends and goes on.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "chamomile/io/pictures/render.hpp"
#include "chamomile/run/checkpoints.hpp"
#include "chamomile/run/energy_file.hpp"
#include "chamomile/run/force_file.hpp"
#include "chamomile/run/introduction.hpp"
#include "chamomile/run/journal.hpp"
#include "chamomile/run/progress.hpp"
#include "chamomile/run/run_folder.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/run_state.hpp"
#include "chamomile/run/step_file.hpp"
#include "chamomile/run/stop_requests.hpp"

namespace chamomile {

/// The results are there, but less accurate than was asked. The program ends with the line and that
/// exit status.
class Inaccurate : public std::runtime_error {
public:
    static constexpr int status = 8;
    explicit Inaccurate(const std::string& line) : std::runtime_error(line) {}
};

/// The time between snapshots: the one given or a tenth of the run.
double snapshot_interval(const RunSettings& settings, double start, double end);

/// A run with its files. Keeps references to all that it is given but the origin.
class RunJob {
public:
    /// `simulation` is of the particles of `state`; observers that it has are called before those
    /// of the run.
    RunJob(const RunSettings& settings, const RunOrigin& origin, RunFolder& folder, Snapshot& state,
           Simulation& simulation, Journal& journal);

    /// Introduces a run that begins, before execute(): tells the lines and records whether its
    /// device was checked.
    void introduce(const RunDescription& description, const std::vector<std::string>& lines,
                   const std::string& checked);

    /// Takes up the state of a checkpoint, introduces the run that goes on and opens its files,
    /// before execute(). `earlier`: the origin of the checkpoint. Throws Error(restart).
    void go_on(const RestartPoint& point, const RunOrigin& earlier,
               const RunDescription& description, const std::vector<std::string>& notes,
               const std::string& checked);

    /// Runs to the end or until somebody asks for a stop, or the energy error does, which makes a
    /// checkpoint. An error does so too, if it can be, and goes through. Throws Inaccurate for an
    /// energy error that ends the run.
    void execute();

    bool has_results() const { return energies_.is_open(); }
    /// Whether the folder holds one of this run.
    bool has_checkpoint() const { return has_checkpoint_; }

private:
    void register_observers();
    void restore(Archive& archive);
    void reopen_files();
    void open_files();
    void write_outputs();
    void take_time(); ///< into the state that is written
    void write_frame();
    void record_choice();
    void note_energies();
    void check_energies();
    std::string energy_limit() const;
    void note_forces();
    void note_cancellation();
    void after_step(StopRequests& requests);
    bool is_checkpoint_due(StopRequests& requests) const;
    void exchange(Archive& archive);
    std::filesystem::path write_checkpoint();
    void rescue();
    void tell_how_to_go_on(const std::string& what, const std::filesystem::path& checkpoint);
    void summarize(double seconds);
    void tell_rates(double seconds);
    void tell_errors();
    void tell_files();

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
    Checkpoints checkpoints_;
    RenderOptions view_;
    int outputs_ = 0, frames_ = 0;
    std::uint64_t first_step_ = 0; ///< at the start or restart
    std::uint64_t checkpoint_step_ = 0;
    double checkpoint_time_ = wall_clock_seconds(); ///< of the last, on the clock of the wall
    bool restored_ = false, has_checkpoint_ = false;
    bool has_energy_warning_ = false, has_force_warning_ = false;
    std::string inaccuracy_; ///< by which the run ends
};

} // namespace chamomile
