/// \file  How long a step is.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/particles.hpp"
#include "integrate/clock.hpp"

namespace chamomile {

/// What the step of a single particle is a part eta of.
enum class StepCriterion {
    softening, ///< sqrt(eps / |a|) (Quinn et al. 1997, Springel 2005)
    potential  ///< sqrt|phi| / max(|a|, phi^2 / GM): a dynamical time, where attractions cancel too
};

enum class TimeStepKind { fixed, adaptive };

/// The step that all particles share.
struct TimeStep {
    TimeStepKind kind = TimeStepKind::fixed;
    double length = 0.01;                                     ///< of a fixed step
    double eta = 0.1;                                         ///< of adaptive_time_step()
    double shortest = 0;                                      ///< bounds of an adaptive step
    double longest = std::numeric_limits<double>::infinity(); ///< "
    StepCriterion criterion = StepCriterion::softening;       ///< of adaptive_time_step()
};

/// The time of a particle that its criterion measures.
struct DynamicalTime {
    double softening; ///< length eps
    StepCriterion criterion = StepCriterion::softening;
    double GM = 0; ///< of all, for StepCriterion::potential

    /// Infinite, or not a number, where nothing pulls.
    double of(double acceleration, double potential) const
    {
        if (criterion == StepCriterion::softening)
            return std::sqrt(softening / acceleration);
        const double phi = std::abs(potential);
        return std::sqrt(phi) / std::max(acceleration, phi * phi / GM);
    }
};

/// Of all particles, |G m|.
double total_GM(const Particles& particles, double gravitational_constant);

/// Throws Error(usage) for a length, eta or bounds that are no positive numbers.
void validate(const TimeStep& step);

/// eta times the shortest dynamical time of all particles as a step of the clock at that time,
/// within its and the bounds of `step`; the longest where nothing accelerates.
double adaptive_time_step(const Particles& particles, const DynamicalTime& dynamical,
                          const TimeStep& step, const Clock& clock = Clock::newtonian(),
                          double time = 0);

} // namespace chamomile
