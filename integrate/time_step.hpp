/// \file  How long a step is.
#pragma once

#include <limits>

#include "core/particles.hpp"
#include "integrate/clock.hpp"

namespace chamomile {

enum class TimeStepKind { fixed, adaptive };

/// The step that all particles share.
struct TimeStep {
    TimeStepKind kind = TimeStepKind::fixed;
    double length = 0.01;                                     ///< of a fixed step
    double eta = 0.1;                                         ///< of adaptive_time_step()
    double shortest = 0;                                      ///< bounds of an adaptive step
    double longest = std::numeric_limits<double>::infinity(); ///< "
};

/// What the step of a single particle is a part eta of.
enum class StepCriterion {
    softening, ///< sqrt(eps / |a|) (Quinn et al. 1997, Springel 2005)
    potential  ///< sqrt|phi| / max(|a|, phi^2 / GM): a dynamical time, where attractions cancel too
};

/// Throws Error(usage) for a length, eta or bounds that are no positive numbers.
void validate(const TimeStep& step);

/// The smallest eta sqrt(eps / |a|) of all particles (Quinn et al. 1997, Springel 2005) as a step
/// of the clock at that time, within its and the bounds of `step`; the longest where nothing
/// accelerates.
double adaptive_time_step(const Particles& particles, double softening_length, const TimeStep& step,
                          const Clock& clock = Clock::newtonian(), double time = 0);

/// The same of the largest |a|^2 of all.
double adaptive_time_step(double largest_acceleration_squared, double softening_length,
                          const TimeStep& step, const Clock& clock, double time);

} // namespace chamomile
