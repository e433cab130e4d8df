/// \file  The summary at the end of a run: its cost, its accuracy, and its files.
#include <cmath>

#include "chamomile/core/text/table.hpp"
#include "chamomile/run/force_cost.hpp"
#include "chamomile/run/run_job.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"
#include "chamomile/run/texts/scheme_text.hpp"

namespace chamomile {
namespace {

/// Returns the unit of step lengths for messages.
std::string time_unit(const Snapshot& state)
{
    if (state.comoving)
        return "ln a";
    if (!state.units.physical)
        return "time in N-body units";
    constexpr double gigayear_in_s = 1e9 * 365.25 * 86400;
    const double seconds = state.units.length_in_cm / state.units.velocity_in_cm_per_s;
    return formatted("time in units of %.4g Gyr%s", seconds / gigayear_in_s,
                     state.units.per_hubble ? "/h" : "");
}

/// Returns a line on the communication between ranks per evaluation.
std::string ranks_text(const RankStatistics& ranks, double evaluations, std::size_t particles)
{
    return formatted(
        "        ranks imported %.3g %% of the particles and %.3g cells, and sent %.3g MB by %.3g "
        "exchanges and %.3g collectives; max work of a rank %.3g times the mean",
        100 * double(ranks.imported_particles) / evaluations / double(particles),
        double(ranks.imported_cells) / evaluations, 1e-6 * double(ranks.bytes) / evaluations,
        double(ranks.exchanges) / evaluations, double(ranks.collectives) / evaluations,
        ranks.imbalance);
}

} // namespace

void RunJob::summarize(double seconds)
{
    print_rates(seconds);
    print_errors();
    print_files();
    journal_.require_written();
}

void RunJob::print_rates(double seconds)
{
    const ForceStatistics& total = simulation_.total_statistics();
    const std::uint64_t steps = simulation_.step() - first_step_;
    if (total.targets == 0)
        return journal_.print("no steps left");
    const double evaluations = double(total.targets) / double(state_.particles.size());
    const ForceCost cost(total, evaluations);
    journal_.print(counted(steps, "step") + " in " + duration_text(seconds) +
                   (steps > 0 ? formatted(", %.3g steps/s", double(steps) / seconds) : "") +
                   formatted(", %.3g pairs/s", evaluations * cost.pairs / seconds));
    if (viewing_ && viewing_->cost().samples > 0)
        journal_.print(formatted("viewers took %.2g %% of the time: ",
                                 100 * viewing_->cost().seconds / seconds) +
                       counted(viewing_->cost().samples, "sample") +
                       formatted(", %.2g ms at most", 1000 * viewing_->cost().longest));
    if (tracks())
        journal_.print(
            formatted("track.csv took %.2g %% of the time", 100 * track_.seconds() / seconds));
    const auto lines = step_summary(simulation_.integrator(), state_.particles);
    if (!lines.empty()) {
        journal_.print("total: " + phases_text(total.profile));
        journal_.print("step lengths are in " + time_unit(state_));
        for (const std::string& line : lines)
            journal_.print(line);
        if (simulation_.integrator().forces().solver == SolverKind::tree)
            journal_.print(cost.text());
    } else {
        journal_.print("a step: " + phases_text(total.profile, evaluations));
        journal_.print("        " + cost.text());
    }
    if (total.ranks)
        journal_.print(ranks_text(*total.ranks, evaluations, state_.particles.size()));
}

/// Prints errors. Results that cannot be trusted also give a warning.
void RunJob::print_errors()
{
    const std::string energy = energies_.summary();
    const bool keeps_momentum =
        !simulation_.integrator().field() && std::isfinite(energies_.momentum_drift());
    journal_.print(energy + (keeps_momentum
                                 ? formatted("; momentum drift %.1e", energies_.momentum_drift())
                                 : ""));
    const double error =
        run_.max_energy_error ? energies_.largest_error() : energies_.lasting_error();
    if (exceeds_limit(error) && inaccuracy_.empty())
        journal_.warn(energy + ": above " + energy_limit() +
                      (run_.max_energy_error || !softening_work().empty()
                           ? ""
                           : ": this run cannot be trusted"));
    if (const SolverOptions& forces = simulation_.integrator().forces(); forces.accuracy) {
        journal_.print(steps_.accuracy_summary());
        if (steps_.largest_error() > forces.accuracy->error)
            journal_.warn(steps_.accuracy_summary() + ": above " + goal_text(*forces.accuracy));
    }
    if (run_.check_forces > 0)
        journal_.print(forces_.summary());
    if (has_force_warning_)
        journal_.warn(forces_.excess());
}

void RunJob::print_files()
{
    std::string files = counted(std::uint64_t(outputs_), "snapshot");
    if (run_.frames)
        files += ", " + counted(std::uint64_t(frames_.count()), "frame");
    if (run_.analysis.power)
        files += ", " + formatted("%d power %s power_NNN.txt", outputs_,
                                  outputs_ == 1 ? "spectrum" : "spectra");
    if (run_.analysis.halos)
        files += ", " + counted(std::uint64_t(outputs_), "halo catalogue") +
                 " halos_NNN.hdf5 with mass_function_NNN.txt";
    if (run_.analysis.profile)
        files += ", " + counted(std::uint64_t(outputs_), "profile") + " profile_NNN.csv";
    files += ", energy.csv, steps.csv";
    if (run_.check_forces > 0)
        files += ", forces.csv";
    if (tracks())
        files += ", track.csv";
    files += tables_.names();
    if (light_cone_)
        files += ", " + light_cone_->summary();
    journal_.print("wrote " + files + " and run.log to " + folder_.name());
    if (simulation_.at_end())
        journal_.print("continue with 'chamomile run {restart} " + folder_.name() +
                       (state_.comoving ? " {z-end} LOWER" : " {t-end} LATER") + "'");
}

} // namespace chamomile
