/// \file  Rules for the length of a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/host_device.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/integrate/clock.hpp"

namespace chamomile {

/// The dynamical time of a particle. The step is eta times this time.
enum class StepCriterion {
    softening, ///< sqrt(eps / |a|) (Quinn et al. 1997, Springel 2005)
    potential  ///< Gm / |phi|^1.5 with Gm = phi^2 / |a|, at most the total: sqrt(r^3 / Gm) at
               ///< distance r of an equivalent point mass. Individual steps use the mean 1 / Gm of
               ///< the particle's orbit
};

enum class TimeStepKind { fixed, adaptive };

/// The step shared by all particles.
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
    double softening; ///< max length eps
    StepCriterion criterion = StepCriterion::softening;
    double GM = 0; ///< total, for StepCriterion::potential

    /// Returns the dynamical time; infinite or NaN without forces.
    CHAMOMILE_HD double of(double acceleration, double potential) const
    {
        if (criterion == StepCriterion::softening)
            return sqrt(softening / acceleration);
        const double phi = fabs(potential);
        return sqrt(phi) / larger(acceleration, phi * phi / GM);
    }

    /// Returns the mean square of |a| / phi^2 = 1 / Gm over ten dynamical times of a particle's
    /// orbit, `elapsed` after the mean was `before`. 0: unknown.
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

    /// Returns 1 / (|phi|^1.5 sqrt(mean)). It varies as smoothly along the orbit as the potential,
    /// and does not grow in a galaxy's center, where |a| vanishes. It is at most four times of(),
    /// for a particle with an acceleration far above the orbit's mean.
    CHAMOMILE_HD double of_orbit(double mean, double acceleration, double potential) const
    {
        const double phi = fabs(potential), root = sqrt(phi);
        return 1 / larger(root * phi * sqrt(mean), acceleration / (4 * root));
    }

private:
    CHAMOMILE_HD static double larger(double a, double b) { return a < b ? b : a; }
};

/// An external field at the particles: what it adds to their accelerations and potentials, and its
/// tidal_time(). Empty: no field; potentials are also empty if not needed.
struct ExternalPart {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential, tidal;
    bool has_functions = false; ///< without a tide: steps then also follow sqrt(eps / |a|)

    /// Returns the field's dynamical time at particle i.
    double time(std::size_t i, double softening) const
    {
        if (!has_functions)
            return tidal[i];
        return std::min(tidal[i], std::sqrt(softening / norm_of_any_size(acceleration[i])));
    }
};

/// Returns a particle's softening length: per-particle or common, at most the common length.
inline double own_softening(const Particles& particles, std::size_t i,
                            const DynamicalTime& dynamical)
{
    return particles.softening.empty() ? dynamical.softening
                                       : std::min(particles.softening[i], dynamical.softening);
}

/// Returns the sum of |G m| over the particles.
ExactSums<double> sum_of_GM(const Particles& particles, double gravitational_constant);

/// Throws Error(usage) for steps by the potential in a periodic box, where the potential has no
/// zero.
void require_zero(StepCriterion criterion, bool is_periodic);

/// Throws Error(usage) unless a fixed length, or eta and the longest step, are positive and the
/// shortest step is 0 to the longest.
void validate(const TimeStep& step);

/// Returns the shortest dynamical time of all particles, by their own field and by the external
/// one; infinity without accelerations.
double shortest_time(const Particles& particles, const DynamicalTime& dynamical,
                     const ExternalPart& external = {});

/// Returns eta times the shortest dynamical time as a step of the clock at `time`, within the
/// bounds of clock and `step`; the longest step without accelerations.
double adaptive_time_step(double shortest_time, const TimeStep& step, const Clock& clock,
                          double time);

} // namespace chamomile
