#include "integrate/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/threads.hpp"

namespace chamomile {

void validate(const TimeStep& step)
{
    const auto refuse = [](const std::string& what, double value) {
        throw Error(Fault::usage,
                    "time step: " + what + ": " + std::to_string(value) + ": must be > 0");
    };
    const bool fixed = step.kind == TimeStepKind::fixed;
    if (fixed && !(step.length > 0 && std::isfinite(step.length)))
        refuse("length", step.length);
    if (!fixed && !(step.eta > 0 && std::isfinite(step.eta)))
        refuse("eta", step.eta);
    if (!fixed && !(step.longest > 0))
        refuse("longest", step.longest);
    if (!fixed && !(step.shortest >= 0 && step.shortest <= step.longest))
        throw Error(Fault::usage, "time step: shortest: " + std::to_string(step.shortest) +
                                      ": must be >= 0 and <= the longest");
}

double adaptive_time_step(const Particles& particles, double softening_length, const TimeStep& step,
                          const Clock& clock, double time)
{
    const std::size_t n = particles.size();
    double largest = 0; // |a|^2; a maximum is the same in any order
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(max : largest)
    for (std::size_t i = 0; i < n; ++i)
        largest = std::max(largest, norm_squared(particles.acceleration[i]));
    return adaptive_time_step(largest, softening_length, step, clock, time);
}

double adaptive_time_step(double largest, double softening_length, const TimeStep& step,
                          const Clock& clock, double time)
{
    const double longest = std::min(step.longest, clock.longest_step(time));
    const double dynamical_time = step.eta * std::sqrt(softening_length / std::sqrt(largest));
    const double length = largest > 0 ? clock.step(time, dynamical_time) : longest;
    return std::clamp(length, std::min(step.shortest, longest), longest);
}

} // namespace chamomile
