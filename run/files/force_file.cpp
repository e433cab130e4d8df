#include "chamomile/run/files/force_file.hpp"

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"

namespace chamomile {

OwnForces::OwnForces(const Simulation& simulation, Particles& particles)
    : request_(request_of(particles, Quantities::acceleration_potential))
{
    request_.softening_length = simulation.softening_length();
    const ExternalField* const field = simulation.integrator().field();
    if (!field)
        return;
    const std::size_t n = particles.size();
    std::vector<Vec3<double>> pull(n);
    std::vector<double> depth(n);
    field->add(simulation.time(), particles.position, {}, pull, depth);
    acceleration_ = particles.acceleration;
    potential_ = particles.potential;
    for (std::size_t i = 0; i < n; ++i) {
        acceleration_[i] -= pull[i];
        potential_[i] -= depth[i];
    }
    request_.acceleration = view_of(std::span(acceleration_));
    request_.potential = view_of(std::span(potential_));
}

std::string ForceFile::open(const std::filesystem::path& file, bool is_comoving, const Units& units)
{
    const std::string time =
        heading("time", is_comoving ? dimensions::none : dimensions::time, units);
    return file_.open(file, "step," + time + ",targets,rms,median,90 %,99 %,99.9 %,max,phi 99 %\n");
}

void ForceFile::add(const Simulation& simulation, Particles& particles)
{
    if (checks_ > 0 && last_step_ == simulation.step())
        return;
    if (!sample_) {
        SolverOptions exact = simulation.integrator().forces();
        exact.precision = Precision::double_precision;
        sample_ = std::make_unique<DirectSample>(exact);
    }
    const OwnForces own(simulation, particles);
    sample_->measure(own.request(), targets_, Quantities::acceleration_potential);
    std::vector<double> accelerations = sample_->acceleration_errors(own.request().acceleration),
                        potentials = sample_->potential_errors(own.request().potential);
    if (const std::string line = excess_text(simulation.integrator().forces(), accelerations);
        excess_.empty() && !line.empty())
        excess_ = formatted("forces in step %llu: ", (unsigned long long)simulation.step()) + line;
    const Percentiles a = percentiles(accelerations), phi = percentiles(potentials);
    std::string line =
        formatted("%llu,%s,%zu", (unsigned long long)simulation.step(),
                  number_text(simulation.file_time()).c_str(), sample_->targets().size());
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
