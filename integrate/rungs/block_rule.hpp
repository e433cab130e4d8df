/// \file  The rule that decides about a particle's next individual step, on host and device alike.
#pragma once

#include "chamomile/integrate/time_step.hpp"

namespace chamomile {

/// A BlockRule chooses time steps at one time; they are steps of the clock.
struct BlockRule {
    DynamicalTime dynamical;
    double eta, longest;
    double rate = 1; ///< Clock::step() for a dynamical time of 1

    /// Returns the step that the criterion means here and now, `elapsed` after the last one.
    /// `orbit` is DynamicalTime::orbit() of the criterion 'potential'.
    CHAMOMILE_HD double measure(double acceleration, double potential, double elapsed,
                                double& orbit) const
    {
        double time;
        if (dynamical.criterion == StepCriterion::potential) {
            orbit = dynamical.orbit(orbit, elapsed, acceleration, potential);
            time = dynamical.of_orbit(orbit, acceleration, potential);
        } else {
            time = dynamical.of(acceleration, potential);
        }
        if (!(time < infinity())) // nothing pulls
            return longest;
        const double step = rate * (eta * time);
        return step < longest ? step : longest;
    }

    /// Returns the step h that is what the criterion will mean in its middle, h = now + slope h /
    /// 2, from what it meant now and at the begin of the last step.
    CHAMOMILE_HD static double anticipated(double now, double before, double last)
    {
        if (!(now < infinity() && before < infinity()))
            return now;
        double slope = (now - before) / last;
        slope = slope < -0.5 ? -0.5 : 0.5 < slope ? 0.5 : slope;
        return now / (1 - slope / 2);
    }

private:
    CHAMOMILE_HD static double infinity() { return HUGE_VAL; }
};

/// Returns the level of the longest step, the whole / 2^level, that is not longer than `time_step`,
/// or `lowest`.
CHAMOMILE_HD int level_of(double time_step, double whole, int lowest)
{
    if (!(time_step < whole))
        return 0;
    if (time_step < ldexp(whole, -lowest))
        return lowest;
    int level = ilogb(whole) - ilogb(time_step) - 1;
    level = level < 0 ? 0 : level;
    while (ldexp(whole, -level) > time_step)
        ++level;
    return level;
}

} // namespace chamomile
