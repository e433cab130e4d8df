#include "chamomile/run/files/step_file.hpp"

#include <algorithm>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/run/force_cost.hpp"

namespace chamomile {
namespace {

/// Returns the leapfrog if it uses individual steps, otherwise null.
const Leapfrog* blocks_of(const Simulation& simulation)
{
    const Leapfrog* const leapfrog = simulation.integrator().leapfrog();
    return leapfrog && leapfrog->block_steps() ? leapfrog : nullptr;
}

} // namespace

std::string StepFile::open(const std::filesystem::path& file, const Simulation& simulation,
                           const Units& units)
{
    has_goal_ = simulation.integrator().forces().accuracy.has_value();
    if (!phases_.empty())
        return file_.open(file, "");
    for (const Profile::Phase& phase : simulation.last_statistics().profile.phases())
        phases_.push_back(phase.name);
    phases_.emplace_back(integration_phase);
    const bool is_plain = simulation.integrator().clock().is_newtonian(); // otherwise a and ln a
    const Dimension time = is_plain ? dimensions::time : dimensions::none;
    std::string line = "step," + heading("time", time, units) + "," + heading("dt", time, units) +
                       ",particles,cells,far";
    if (blocks_of(simulation))
        line += ",evaluations,targets";
    if (has_goal_)
        line += ",measured error,tolerance,theta";
    for (const std::string& heading : device_headings)
        line += "," + heading;
    for (const std::string& phase : phases_)
        line += "," + phase + " ms";
    file_.open(file, line + ",other ms\n");
    add(simulation);
    return "";
}

void StepFile::add(const Simulation& simulation)
{
    note(simulation);
    if (!file_.is_open() || simulation.step() % interval_ != 0)
        return;
    const ForceStatistics& statistics = simulation.last_statistics();
    const ForceCost cost(statistics);
    std::string line = formatted("%llu,%s,%s,%.6g,%.6g,%.6g", (unsigned long long)simulation.step(),
                                 number_text(simulation.file_time()).c_str(),
                                 number_text(simulation.step_length()).c_str(), cost.particles,
                                 cost.cells, cost.far_cells);
    if (const Leapfrog* blocks = blocks_of(simulation))
        line += formatted(",%llu,%llu",
                          (unsigned long long)(simulation.step() > 0 ? blocks->blocks() : 1),
                          (unsigned long long)statistics.targets);
    if (has_goal_) {
        const SolverOptions& now = simulation.integrator().forces();
        const bool tree = now.solver == SolverKind::tree,
                   tolerance = compares_accelerations(now.criterion);
        line += statistics.measured_error ? formatted(",%.4e", *statistics.measured_error) : ",";
        line += ',';
        line += tree && tolerance ? number_text(now.tolerance) : "";
        line += ',';
        line += tree && !tolerance ? number_text(now.theta) : "";
    }
    for (const std::string& word : device_words(statistics, ""))
        line += "," + word;
    double other = 0;
    for (const Profile::Phase& phase : statistics.profile.phases())
        if (std::find(phases_.begin(), phases_.end(), phase.name) == phases_.end())
            other += phase.seconds;
    for (const std::string& phase : phases_)
        line += formatted(",%.4f", 1e3 * statistics.profile.seconds(phase));
    file_.write(line + formatted(",%.4f\n", 1e3 * other));
}

void StepFile::note(const Simulation& simulation)
{
    const std::optional<double> error = simulation.last_statistics().measured_error;
    if (!error)
        return;
    measured_error_ = *error;
    largest_error_ = std::max(largest_error_, *error);
    ++measurements_;
}

std::string StepFile::accuracy_summary() const
{
    return formatted("measured error %.2e at the end, %.2e at most in %s", measured_error_,
                     largest_error_, counted(std::uint64_t(measurements_), "measurement").c_str());
}

void StepFile::exchange(Archive& archive)
{
    file_.exchange(archive, "steps");
    archive("steps/phases", phases_);
    archive("steps/measured_error", measured_error_);
    archive("steps/largest_error", largest_error_);
    archive("steps/measurements", measurements_);
}

} // namespace chamomile
