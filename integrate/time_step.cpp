#include "chamomile/integrate/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"

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

void require_zero(StepCriterion criterion, bool is_periodic)
{
    if (criterion == StepCriterion::potential && is_periodic)
        throw Error(Fault::usage, "time step: criterion 'potential' needs isolated particles; use "
                                  "'softening' in a periodic box");
}

ExactSums<double> sum_of_GM(const Particles& particles, double gravitational_constant)
{
    ExactSums<double> GM;
    GM.add(0, particles.size(),
           [&](std::size_t i) { return std::abs(gravitational_constant * particles.mass[i]); });
    return GM;
}

double shortest_time(const Particles& particles, const DynamicalTime& dynamical,
                     const ExternalPart& external)
{
    const bool has_field = !external.acceleration.empty();
    const std::size_t n = particles.size();
    double shortest = std::numeric_limits<double>::infinity(); // independent of the order
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(min : shortest)
    for (std::size_t i = 0; i < n; ++i) {
        DynamicalTime own = dynamical;
        own.softening = own_softening(particles, i, dynamical);
        Vec3<double> a = particles.acceleration[i];
        double phi = particles.potential[i];
        if (has_field) {
            a -= external.acceleration[i];
            phi -= external.potential.empty() ? 0 : external.potential[i];
            shortest = std::min(shortest, external.time(i, own.softening));
        }
        shortest = std::min(shortest, own.of(norm_of_any_size(a), phi));
    }
    return shortest;
}

double adaptive_time_step(double shortest, const TimeStep& step, const Clock& clock, double time)
{
    const double longest = std::min(step.longest, clock.longest_step(time));
    const double length = std::isfinite(shortest) ? clock.step(time, step.eta * shortest) : longest;
    return std::clamp(length, std::min(step.shortest, longest), longest);
}

} // namespace chamomile
