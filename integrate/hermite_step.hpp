/// \file  The formulas of the fourth-order Hermite scheme for one particle.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "chamomile/core/host_device.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A particle's motion at one time.
struct Motion {
    Vec3<double> position, velocity, acceleration, jerk;
};

/// Returns position and velocity after dt by their Taylor series (Makino & Aarseth 1992, eqs. 3 and
/// 4); acceleration and jerk are copied.
CHAMOMILE_HD Motion predicted(const Motion& from, double dt)
{
    Motion to = from;
    to.velocity += dt * (from.acceleration + (dt / 2) * from.jerk);
    to.position += dt * (from.velocity + (dt / 2) * (from.acceleration + (dt / 3) * from.jerk));
    return to;
}

/// Sets position and velocity from the acceleration and jerk at both ends of a step, symmetric in
/// time (Hut, Makino & McMillan 1995, eq. 6).
CHAMOMILE_HD void correct(Motion& to, const Motion& from, double dt)
{
    to.velocity = from.velocity + (dt / 2) * (from.acceleration + to.acceleration) +
                  (dt * dt / 12) * (from.jerk - to.jerk);
    to.position = from.position + (dt / 2) * (from.velocity + to.velocity) +
                  (dt * dt / 12) * (from.acceleration - to.acceleration);
}

/// Second and third derivatives of the acceleration at the end of a step, from interpolation
/// through both ends (Makino & Aarseth 1992, eqs. 5 to 7).
struct HigherDerivatives {
    Vec3<double> second, third;
};
inline HigherDerivatives higher_derivatives(const Motion& from, const Motion& to, double dt)
{
    const Vec3<double> change = from.acceleration - to.acceleration;
    const Vec3<double> third =
        (1 / (dt * dt * dt)) * (12.0 * change + (6 * dt) * (from.jerk + to.jerk));
    const Vec3<double> second_at_start =
        (-1 / (dt * dt)) * (6.0 * change + dt * (4.0 * from.jerk + 2.0 * to.jerk));
    return {second_at_start + dt * third, third};
}

/// Returns sqrt(eta (|a| |a2| + |j|^2) / (|j| |a3| + |a2|^2)) (Aarseth 1985); infinite if the
/// denominator is 0.
inline double aarseth_step(const Motion& at, const HigherDerivatives& higher, double eta)
{
    const double a = norm(at.acceleration), j = norm(at.jerk);
    const double a2 = norm(higher.second), a3 = norm(higher.third);
    const double below = j * a3 + a2 * a2;
    return below > 0 ? std::sqrt(eta * (a * a2 + j * j) / below)
                     : std::numeric_limits<double>::infinity();
}

/// Returns the first step, before derivatives are known: eta min(a / |j|, sqrt|phi| / a). The
/// second term, the time to reach escape velocity at this acceleration, limits particles at rest.
/// If attractions cancel, a is replaced by the acceleration at this potential due to a single body,
/// phi^2 / (G M) with the total mass M. The step of a lone particle is infinite.
inline double starting_step(const Motion& at, double potential, double GM, double eta)
{
    const double j = norm(at.jerk);
    const double a = std::max(norm(at.acceleration), GM > 0 ? potential * potential / GM : 0);
    if (!(a > 0))
        return std::numeric_limits<double>::infinity();
    const double fall = std::sqrt(std::abs(potential)) / a;
    return eta * (j > 0 ? std::min(a / j, fall) : fall);
}

} // namespace chamomile
