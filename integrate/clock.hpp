/// \file  A clock says how much velocities and positions change from one time to another.
#pragma once

#include <limits>

namespace chamomile {

/// A Clock is time as the leapfrog sees it: v += kick(t0, t1) a, x += drift(t0, t1) v (Quinn et al.
/// 1997). This one is Newton's; a comoving one has other integrals.
class Clock {
public:
    virtual ~Clock() = default;

    virtual double kick(double from, double to) const { return to - from; }
    virtual double drift(double from, double to) const { return to - from; }

    /// Returns the step, in time, that a criterion's sqrt(length / acceleration), in the particles'
    /// coordinates and accelerations, means at that time.
    virtual double step(double /*time*/, double dynamical_time) const { return dynamical_time; }

    /// No step at that time may be longer.
    virtual double longest_step(double /*time*/) const
    {
        return std::numeric_limits<double>::infinity();
    }

    /// Returns the softening length at that time of particles for which `length` was asked.
    virtual double softening(double /*time*/, double length) const { return length; }

    /// Returns the time as people and files state it, which is the scale factor for a comoving
    /// clock.
    virtual double file_time(double time) const { return time; }

    /// Tells whether the clock is Newton's: kicks and drifts are the differences of the times
    /// themselves.
    virtual bool is_newtonian() const { return true; }

    /// Returns Newton's clock.
    static const Clock& newtonian()
    {
        static const Clock clock;
        return clock;
    }
};

} // namespace chamomile
