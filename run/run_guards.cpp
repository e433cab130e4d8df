/// \file  Checks during a run: energy errors and force errors.
#include <algorithm>
#include <cmath>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/run/run_job.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"
#include "chamomile/run/texts/method_text.hpp"

namespace chamomile {

void RunJob::record_energies()
{
    energies_.add(simulation_);
    check_energies();
}

std::string RunJob::energy_limit() const
{
    return (run_.max_energy_error ? "{max-energy-error} " + number_text(*run_.max_energy_error)
                                  : formatted("%.2g %%", 100 * energies_.trusted_error())) +
           energies_.scale_name() + softening_work();
}

/// Returns whether an energy error exceeds the limit.
bool RunJob::exceeds_limit(double error) const
{
    return run_.max_energy_error
               ? energies_.is_measured() && !(energies_.judged(error) <= *run_.max_energy_error)
               : energies_.is_doubtful(error);
}

/// Returns a hint if softening is limited to a fixed physical length. The Layzer-Irvine equation
/// neglects its work.
std::string RunJob::softening_work() const
{
    const std::vector<double>& own = state_.particles.softening;
    const double asked = own.empty() ? simulation_.integrator().forces().softening.length
                                     : *std::max_element(own.begin(), own.end());
    return simulation_.integrator().clock().softening(simulation_.time(), asked) < asked
               ? "; it may include the work of {eps-max}, neglected by the equation"
               : "";
}

/// Warns of the first energy error above the limit, or ends the run.
void RunJob::check_energies()
{
    if (!exceeds_limit(energies_.energy_error()) || has_energy_warning_)
        return;
    has_energy_warning_ = true;
    const double error = energies_.energy_error();
    const std::string value = std::isfinite(error)
                                  ? formatted("%.3g", energies_.scale_name().empty()
                                                          ? error
                                                          : energies_.judged(error))
                                  : "not finite",
                      line =
                          formatted("%s: %s at %s, step %llu: above %s", energies_.error_name(),
                                    value.c_str(), time_text(simulation_, state_.units).c_str(),
                                    (unsigned long long)simulation_.step(), energy_limit().c_str());
    if (run_.max_energy_error && run_.on_energy_error == EnergyErrorAction::stop)
        inaccuracy_ = line;
    else
        journal_.print("warning      " + line);
}

void RunJob::record_forces()
{
    forces_.add(simulation_);
    if (forces_.excess().empty() || has_force_warning_)
        return;
    has_force_warning_ = true;
    journal_.print("warning      " + forces_.excess());
}

/// Warns once if the softening is close to the cut of the short-range force. If forces may cancel,
/// measures force errors at the first evaluation of a new run.
void RunJob::warn_of_forces()
{
    const ForceStatistics& statistics = simulation_.last_statistics();
    const SolverOptions& forces = simulation_.integrator().forces();
    if (statistics.softening_jump && !has_softening_warning_) {
        const std::string softening =
            softening_jump_text(known_forces(forces, state_), *statistics.softening_jump);
        has_softening_warning_ = !softening.empty();
        if (has_softening_warning_)
            journal_.warn(softening);
    }
    if (restored_ || run_.check_forces > 0 || !may_cancel(statistics))
        return;
    const std::string line =
        cancellation_text(statistics, forces, state_.particles.size(), [this](std::size_t targets) {
            return simulation_.sample_errors(targets, Quantities::acceleration).acceleration;
        });
    if (!line.empty())
        journal_.warn(line);
}

} // namespace chamomile
