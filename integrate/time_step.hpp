/// \file  Rules that say how long a step is.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/host_device.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/integrate/clock.hpp"

namespace chamomile {

/// A StepCriterion names the time of which a single particle's step is a part eta.
enum class StepCriterion {
    softening, ///< sqrt(eps / |a|) (Quinn et al. 1997, Springel 2005)
    potential  ///< Gm / |phi|^1.5 with Gm = phi^2 / |a|, at most that of all: sqrt(r^3 / Gm) at
               ///< the distance r of a point mass that pulls so. Individual steps take the mean
               ///< 1 / Gm of the particle's orbit
};

enum class TimeStepKind { fixed, adaptive };

/// A TimeStep says how long the step is that all particles share.
struct TimeStep {
    TimeStepKind kind = TimeStepKind::fixed;
    double length = 0.01;                                     ///< of a fixed step
    double eta = 0.1;                                         ///< of adaptive_time_step()
    double shortest = 0;                                      ///< bounds of an adaptive step
    double longest = std::numeric_limits<double>::infinity(); ///< "
    StepCriterion criterion = StepCriterion::softening;       ///< of adaptive_time_step()
};

/// A DynamicalTime measures the time of a particle by its criterion.
struct DynamicalTime {
    double softening; ///< length eps, the largest of all
    StepCriterion criterion = StepCriterion::softening;
    double GM = 0; ///< of all, for StepCriterion::potential

    /// Returns that time, which is infinite, or not a number, where nothing pulls.
    CHAMOMILE_HD double of(double acceleration, double potential) const
    {
        if (criterion == StepCriterion::softening)
            return sqrt(softening / acceleration);
        const double phi = fabs(potential);
        return sqrt(phi) / larger(acceleration, phi * phi / GM);
    }

    /// Returns the mean square of |a| / phi^2 = 1 / Gm over ten dynamical times of a particle's
    /// orbit, `elapsed` after it was `before`; 0: none is known.
    CHAMOMILE_HD double orbit(double before, double elapsed, double acceleration,
                              double potential) const
    {
        const double phi = fabs(potential);
        if (!(phi > 0))
            return before;
        const double here = larger(1 / GM, acceleration / (phi * phi)), square = here * here;
        if (!(before > 0))
            return square;
        const double part = 0.1 * elapsed * phi * sqrt(phi * before);
        return before + part / (1 + part) * (square - before);
    }

    /// Returns 1 / (|phi|^1.5 sqrt(mean)) with that mean. It changes as smoothly along the orbit as
    /// the potential, and does not grow in a galaxy's centre, where |a| vanishes. Where a particle
    /// is pulled four times as hard as on its way, it is four times of().
    CHAMOMILE_HD double of_orbit(double mean, double acceleration, double potential) const
    {
        const double phi = fabs(potential), root = sqrt(phi);
        return 1 / larger(root * phi * sqrt(mean), acceleration / (4 * root));
    }

private:
    CHAMOMILE_HD static double larger(double a, double b) { return a < b ? b : a; }
};

/// Returns the softening length of a particle, its own where it has one, at most that of all.
inline double own_softening(const Particles& particles, std::size_t i,
                            const DynamicalTime& dynamical)
{
    return particles.softening.empty() ? dynamical.softening
                                       : std::min(particles.softening[i], dynamical.softening);
}

/// Returns the sum of |G m| over the particles.
ExactSums<double> sum_of_GM(const Particles& particles, double gravitational_constant);

/// Throws Error(usage) if steps by the potential are asked for in a periodic box, where it has no
/// zero.
void require_zero(StepCriterion criterion, bool is_periodic);

/// Throws Error(usage) for a length, eta or bounds that are no positive numbers.
void validate(const TimeStep& step);

/// Returns the shortest dynamical time of all particles; infinity where nothing accelerates.
double shortest_time(const Particles& particles, const DynamicalTime& dynamical);

/// Returns eta times that time as a step of the clock at that time, within its and the bounds of
/// `step`; the longest where nothing accelerates.
double adaptive_time_step(double shortest_time, const TimeStep& step, const Clock& clock,
                          double time);

} // namespace chamomile
