#include "chamomile/run/files/force_file.hpp"

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"

namespace chamomile {

std::string ForceFile::open(const std::filesystem::path& file, bool is_comoving, const Units& units)
{
    const std::string time =
        heading("time", is_comoving ? dimensions::none : dimensions::time, units);
    return file_.open(file, "step," + time + ",targets,rms,median,90 %,99 %,99.9 %,max,phi 99 %\n");
}

void ForceFile::add(Simulation& simulation)
{
    if (checks_ > 0 && last_step_ == simulation.step())
        return;
    SampledErrors errors = simulation.sample_errors(targets_, Quantities::acceleration_potential);
    if (const std::string line = excess_text(simulation.integrator().forces(), errors.acceleration);
        excess_.empty() && !line.empty())
        excess_ = formatted("forces in step %llu: ", (unsigned long long)simulation.step()) + line;
    const std::size_t targets = errors.acceleration.size();
    const Percentiles a = percentiles(errors.acceleration), phi = percentiles(errors.potential);
    std::string line = formatted("%llu,%s,%zu", (unsigned long long)simulation.step(),
                                 number_text(simulation.file_time()).c_str(), targets);
    for (double value : {a.rms, a.median, a.p90, a.p99, a.p999, a.max, phi.p99})
        line += formatted(",%.4e", value);
    ++checks_;
    last_step_ = simulation.step();
    last_p99_ = a.p99;
    last_median_ = a.median;
    if (a.p99 > largest_p99_) {
        largest_p99_ = a.p99;
        largest_step_ = last_step_;
    }
    file_.write(line + "\n");
}

void ForceFile::exchange(Archive& archive)
{
    file_.exchange(archive, "forces");
    archive("forces/largest_p99", largest_p99_);
    archive("forces/last_p99", last_p99_);
    archive("forces/last_median", last_median_);
    archive("forces/largest_step", largest_step_);
    archive("forces/last_step", last_step_);
    archive("forces/checks", checks_);
}

std::string ForceFile::summary() const
{
    if (checks_ == 0)
        return "force errors: none measured";
    return formatted("force errors against direct sums, measured %s: 99 %% below %.2e at most "
                     "(step %llu); %.2e and median %.2e at the end (step %llu)",
                     counted(std::uint64_t(checks_), "time").c_str(), largest_p99_,
                     (unsigned long long)largest_step_, last_p99_, last_median_,
                     (unsigned long long)last_step_);
}

} // namespace chamomile
