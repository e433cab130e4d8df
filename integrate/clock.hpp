/// \file  Integrals of time for kicks and drifts.
#pragma once

#include <limits>

namespace chamomile {

/// A Clock gives the factors of the leapfrog: v += kick(t0, t1) a, x += drift(t0, t1) v (Quinn et
/// al. 1997). This class is Newton's clock; a comoving clock has other integrals.
class Clock {
public:
    virtual ~Clock() = default;

    virtual double kick(double from, double to) const { return to - from; }
    virtual double drift(double from, double to) const { return to - from; }

    /// Returns the time step for a criterion's sqrt(length / acceleration), both in the particles'
    /// units, at `time`.
    virtual double step(double /*time*/, double dynamical_time) const { return dynamical_time; }

    /// Returns the max time step at `time`.
    virtual double longest_step(double /*time*/) const
    {
        return std::numeric_limits<double>::infinity();
    }

    /// Returns the softening length at `time` for a configured `length`.
    virtual double softening(double /*time*/, double length) const { return length; }

    /// Returns the time as written in files; for a comoving clock the scale factor.
    virtual double file_time(double time) const { return time; }

    /// True for Newton's clock: kicks and drifts are plain differences of times.
    virtual bool is_newtonian() const { return true; }

    static const Clock& newtonian()
    {
        static const Clock clock;
        return clock;
    }
};

} // namespace chamomile
