#include "chamomile/force/accuracy/force_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chamomile/core/norm.hpp"

namespace chamomile {

Percentiles percentiles(std::vector<double>& values)
{
    if (values.empty())
        return {};
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    const auto at = [&](double fraction) {
        return values[std::min(n - 1, std::size_t(fraction * double(n)))];
    };
    double squares = 0;
    for (double v : values)
        squares += v * v;
    return {std::sqrt(squares / double(n)), at(0.5), at(0.9), at(0.99), at(0.999), values[n - 1]};
}

TargetErrors target_errors(const Particles& particles, const ReferenceSums& reference,
                           std::span<const Index> targets)
{
    TargetErrors errors;
    const auto ratio = [](double difference, double scale) {
        return scale > 0 || std::isnan(scale) ? difference / scale : difference;
    };
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const Index i = targets[k];
        const double difference =
            norm_of_any_size(particles.acceleration[i] - reference.acceleration[k]);
        errors.acceleration.push_back(
            ratio(difference, norm_of_any_size(reference.acceleration[k])));
        errors.scaled.push_back(ratio(difference, reference.absolute_sum[k]));
        errors.potential.push_back(ratio(std::abs(particles.potential[i] - reference.potential[k]),
                                         std::abs(reference.potential[k])));
    }
    return errors;
}

ForceErrors force_errors(const TargetErrors& of_targets, std::span<const Index> targets)
{
    ForceErrors errors;
    double worst = -1;
    const std::vector<double>& leading =
        of_targets.acceleration.empty() ? of_targets.potential : of_targets.acceleration;
    for (const auto* of_one : {&of_targets.acceleration, &of_targets.potential})
        for (double error : *of_one)
            errors.all_finite &= std::isfinite(error);
    for (std::size_t k = 0; k < targets.size(); ++k)
        if (leading[k] > worst) {
            worst = leading[k];
            errors.worst = targets[k];
        }
    std::vector<double> relative = of_targets.acceleration, scaled = of_targets.scaled,
                        potential = of_targets.potential;
    std::erase_if(scaled, [](double error) { return std::isnan(error); });
    errors.acceleration = percentiles(relative);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    errors.scaled = scaled.empty() && !of_targets.scaled.empty()
                        ? Percentiles{unknown, unknown, unknown, unknown, unknown, unknown}
                        : percentiles(scaled);
    errors.potential = percentiles(potential);
    return errors;
}

ForceErrors force_errors(const Particles& particles, const ReferenceSums& reference,
                         std::span<const Index> targets)
{
    return force_errors(target_errors(particles, reference, targets), targets);
}

std::vector<double> radii_of(const Particles& particles, std::span<const Index> targets)
{
    double mass = 0;
    Vec3<double> center;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        mass += particles.mass[i];
        center += particles.mass[i] * particles.position[i];
    }
    std::vector<double> radii;
    for (const Index i : targets)
        radii.push_back(norm_of_any_size(particles.position[i] - 1 / mass * center));
    return radii;
}

double momentum_residue(const Particles& particles)
{
    // Sums are in units of the max mass and acceleration, whose product may overflow.
    double max_mass = 0, max_acceleration = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        max_mass = std::max(max_mass, std::abs(particles.mass[i]));
        max_acceleration = std::max(max_acceleration, norm_of_any_size(particles.acceleration[i]));
    }
    if (max_mass == 0 || max_acceleration == 0)
        return 0;
    Vec3<double> sum;
    double absolute = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3<double> force =
            (particles.mass[i] / max_mass) * ((1 / max_acceleration) * particles.acceleration[i]);
        sum += force;
        absolute += norm(force);
    }
    return norm(sum) / absolute;
}

} // namespace chamomile
