#include "chamomile/force/accuracy/direct_sample.hpp"

#include <cmath>

#include "chamomile/core/norm.hpp"

namespace chamomile {
namespace {

/// Few targets far from each other share a list; larger groups gain nothing.
constexpr int sparse_group_size = 64;

double ratio(double difference, double scale)
{
    return scale > 0 ? difference / scale : difference;
}

} // namespace

DirectSample::DirectSample(const SolverOptions& options)
{
    SolverOptions direct;
    direct.solver = SolverKind::direct;
    direct.softening = options.softening;
    direct.periodic.box = options.periodic.box;
    direct.gravitational_constant = options.gravitational_constant;
    direct.precision = options.precision;
    direct.device = options.device;
    direct.instruction_set = options.instruction_set;
    direct.group_size = sparse_group_size;
    direct_ = make_solver(direct);
}

void DirectSample::measure(Particles& particles, std::size_t targets, Quantities quantities)
{
    targets_ = sample_targets(particles.size(), targets);
    acceleration_.clear();
    potential_.clear();
    if (targets_.empty())
        return;
    // The sums go where the particles keep theirs, which are put back.
    const bool potentials = quantities == Quantities::acceleration_potential;
    const bool had_accelerations = particles.acceleration.size() == particles.size(),
               had_potentials = particles.potential.size() == particles.size();
    particles.acceleration.resize(particles.size());
    particles.potential.resize(particles.size());
    for (Index i : targets_) {
        acceleration_.push_back(particles.acceleration[i]);
        potential_.push_back(particles.potential[i]);
    }
    direct_->solve(particles, quantities, targets_);
    std::vector<Vec3<double>> kept_acceleration = std::move(acceleration_);
    std::vector<double> kept_potential = std::move(potential_);
    acceleration_.clear();
    potential_.clear();
    for (Index i : targets_) {
        acceleration_.push_back(particles.acceleration[i]);
        potential_.push_back(particles.potential[i]);
    }
    for (std::size_t k = 0; k < targets_.size(); ++k) {
        particles.acceleration[targets_[k]] = kept_acceleration[k];
        particles.potential[targets_[k]] = kept_potential[k];
    }
    if (!potentials)
        potential_.clear();
    if (!had_accelerations)
        particles.acceleration.clear();
    if (!had_potentials)
        particles.potential.clear();
}

std::vector<double> DirectSample::acceleration_errors(const Particles& particles) const
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < acceleration_.size(); ++k)
        errors.push_back(
            ratio(norm_of_any_size(particles.acceleration[targets_[k]] - acceleration_[k]),
                  norm_of_any_size(acceleration_[k])));
    return errors;
}

std::vector<double> DirectSample::potential_errors(const Particles& particles) const
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < potential_.size(); ++k)
        errors.push_back(ratio(std::abs(particles.potential[targets_[k]] - potential_[k]),
                               std::abs(potential_[k])));
    return errors;
}

double value_at_percentile(std::vector<double>& values, double percentile)
{
    if (values.empty())
        return 0;
    const std::size_t place =
        std::min(values.size() - 1, std::size_t(0.01 * percentile * double(values.size())));
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(place), values.end());
    return values[place];
}

} // namespace chamomile
