#include "chamomile/run/texts/progress.hpp"

#include "chamomile/core/cosmology/background.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/run/force_cost.hpp"

namespace chamomile {
namespace {

constexpr double seconds_between_updates = 0.2, seconds_between_lines = 10;

/// Returns phases and cost of the last step in words.
std::string cost(const Simulation& simulation)
{
    const ForceStatistics& last = simulation.last_statistics();
    return phases_text(last.profile) + "; " + ForceCost(last).text();
}

} // namespace

std::string time_text(const Simulation& simulation, const Units& units, int digits)
{
    const double time = simulation.file_time();
    if (simulation.integrator().clock().is_newtonian())
        return with_unit(formatted("t = %.*g", digits, time), dimensions::time, units);
    return formatted("a = %.6g, z = %.4g", time, redshift_of(time));
}

std::string Progress::rate_text(const Simulation& simulation) const
{
    const double elapsed = wall_clock_seconds() - start_;
    if (!begun_ || !(elapsed > 0))
        return "";
    const double begin = simulation.start_time(), end = simulation.end_time();
    const double done = (simulation.time() - begin) / (end - begin);
    const double lately = (simulation.time() - first_time_) / (end - first_time_);
    return formatted("%.0f %%  %.3g steps/s  %s left", 100 * done,
                     double(simulation.step() - first_step_) / elapsed,
                     duration_text(elapsed * (1 - lately) / lately).c_str());
}

void Progress::update(const Simulation& simulation, const std::string& energy_error)
{
    if (journal_.verbosity() == Verbosity::verbose)
        journal_.detail(formatted("step %llu  %s  ", (unsigned long long)simulation.step(),
                                  time_text(simulation, units_, 6).c_str()) +
                        cost(simulation));
    if (!begun_) {
        first_step_ = simulation.step() - 1;
        first_time_ = simulation.time() - simulation.step_length();
        begun_ = true;
    }
    const double now = wall_clock_seconds();
    const bool show = now - last_shown_ >= seconds_between_updates;
    const bool tell = now - last_told_ >= seconds_between_lines;
    if (!show && !tell)
        return;
    const std::string line =
        formatted("step %llu  %s  %s  %s", (unsigned long long)simulation.step(),
                  time_text(simulation, units_, 6).c_str(), rate_text(simulation).c_str(),
                  energy_error.c_str());
    last_shown_ = now;
    if (journal_.on_terminal())
        journal_.show_status(line);
    if (!tell)
        return;
    last_told_ = now;
    if (journal_.on_terminal())
        journal_.record(line);
    else
        journal_.print(line);
}

} // namespace chamomile
