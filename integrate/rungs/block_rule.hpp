/// \file  The rule for a particle's next individual step, on host and device.
#pragma once

#include "chamomile/integrate/time_step.hpp"

namespace chamomile {

/// A BlockRule chooses time steps at one time, in units of the clock.
struct BlockRule {
    DynamicalTime dynamical;
    double eta, longest;
    double rate = 1; ///< Clock::step() for a dynamical time of 1

    /// Returns the criterion's step now, `elapsed` after the last one, by the particles' own field.
    /// `orbit` is the DynamicalTime::orbit() of the criterion 'potential', and is updated.
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
        return step_of(time);
    }

    /// Returns the step of a dynamical time; the longest if it is not finite, without forces.
    CHAMOMILE_HD double step_of(double time) const
    {
        if (!(time < infinity()))
            return longest;
        const double step = rate * (eta * time);
        return step < longest ? step : longest;
    }

    /// Returns the step h that equals the criterion at its middle, h = now + slope h / 2,
    /// extrapolated from the criterion now and at the begin of the last step.
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

/// Returns the level of the longest step, the whole / 2^level, that does not exceed `time_step`; at
/// most `lowest`.
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

/// Returns the next level of a due particle: any number of levels down to `asked`, or one up.
CHAMOMILE_HD int next_level(int level, int asked, bool may_rise)
{
    return asked >= level ? asked : may_rise ? level - 1 : level;
}

} // namespace chamomile
