/// \file  Jerks and tides of external potentials, bitwise equal on host and device.
///
/// Contraction: none.
#pragma once

#include "chamomile/integrate/external/term.hpp"

namespace chamomile {
namespace external {

CHAMOMILE_HD Vec3<double> logarithmic_jerk(const ExternalTerm& term, const Vec3<double>& r,
                                           const Vec3<double>& v)
{
    const Vec3<double> s{r.x, r.y, term.b * r.z}, w{v.x, v.y, term.b * v.z};
    const double d = term.a * term.a + dot(r, s), rate = 2 * dot(s, v);
    return (-term.strength / d) * w + (term.strength * rate / (d * d)) * s;
}

CHAMOMILE_HD Vec3<double> flattened_jerk(const ExternalTerm& term, const Vec3<double>& r,
                                         const Vec3<double>& v)
{
    const FlattenedPlace at(term, r);
    const double u3 = at.u * at.u * at.u;
    // With k = 1 + a / B, B dB/dt = z v_z: u^-1 du^-1/dt = x v_x + y v_y + k z v_z.
    const double u3_rate = -3 * u3 * at.u * at.u * (r.x * v.x + r.y * v.y + at.k * r.z * v.z);
    const double b3 = at.big_b * at.big_b * at.big_b;
    const double k_rate = at.big_b > 0 ? -term.a * r.z * v.z / b3 : 0;
    return (-term.strength * u3) * Vec3<double>{v.x, v.y, at.k * v.z + k_rate * r.z} +
           (-term.strength * u3_rate) * Vec3<double>{r.x, r.y, at.k * r.z};
}

} // namespace external

/// Returns the jerk by a term at x; v is the velocity relative to the term's center.
CHAMOMILE_HD Vec3<double> external_jerk(const ExternalTerm& term, const Vec3<double>& x,
                                        const Vec3<double>& v)
{
    const Vec3<double> r = x - term.center;
    if (term.shape == PotentialShape::logarithmic)
        return external::logarithmic_jerk(term, r, v);
    if (term.shape == PotentialShape::miyamoto_nagai)
        return external::flattened_jerk(term, r, v);
    const external::RadialPull radial = external::radial_pull(term, norm_squared(r));
    return (-term.strength * radial.pull) * v + (-term.strength * radial.slope * dot(r, v)) * r;
}

/// Returns the squared norm of the tidal tensor of a term at x.
CHAMOMILE_HD double squared_tide(const ExternalTerm& term, const Vec3<double>& x)
{
    return norm_squared(external_jerk(term, x, {1, 0, 0})) +
           norm_squared(external_jerk(term, x, {0, 1, 0})) +
           norm_squared(external_jerk(term, x, {0, 0, 1}));
}

/// Returns the shortest time in which a field with this squared tide changes along any path: the
/// norm to the power of -1/2. Infinite without a tide.
CHAMOMILE_HD double tidal_time(double squared)
{
    return 1 / sqrt(sqrt(squared));
}

} // namespace chamomile
