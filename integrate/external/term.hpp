/// \file  External potentials as formulas of position, bitwise equal on host and device.
///
/// Contraction: none.
#pragma once

#include <cmath>

#include "chamomile/core/vec3.hpp"
#include "chamomile/integrate/external/shared_math.hpp"

namespace chamomile {

/// Names a formula, or another source of a potential.
enum class PotentialShape : int {
    point,
    plummer,
    hernquist,
    nfw,
    isochrone,
    dehnen,
    cutoff,
    logarithmic,
    miyamoto_nagai,
    text,     ///< from a file: TextPotential
    function, ///< the caller's
    rotation, ///< of the frame about z
    named     ///< a sum of other shapes: NamedPotential
};

/// An ExternalTerm is a potential at one time. Shapes after miyamoto_nagai are not formulas.
struct ExternalTerm {
    PotentialShape shape;
    Vec3<double> center;
    double strength; ///< G M; of nfw G M / m(c), of logarithmic v0^2
    /// Lengths; of nfw r_s and the end, of logarithmic the core and 1/q^2. Of dehnen and cutoff b
    /// is the inner slope of the density.
    double a, b;
    double c = 0, d = 0; ///< of cutoff 1 / Gamma(3/2 - b/2) and Gamma(1 - b/2)
};

/// Formulas at one time, as a kernel argument.
struct ExternalTerms {
    static constexpr int max = 16;
    int count = 0;
    ExternalTerm term[max];
};

/// The effect of external potentials at one position.
struct ExternalPull {
    Vec3<double> acceleration;
    double potential = 0;
};

namespace external {

/// Returns m(x) = ln(1 + x) - x / (1 + x), the mass of an NFW halo within x scale radii in units of
/// 4 pi rho_s r_s^3 (Navarro, Frenk & White 1996).
CHAMOMILE_HD double nfw_mass(double x)
{
    if (x > 0.5)
        return shared_logarithm(1 + x) - x / (1 + x);
    const double s = x / (2 + x); // ln(1 + x) = 2 artanh(s)
    return 2 * (s * s / (1 + s) + artanh_beyond_first(s));
}

/// Returns ln(1 + x) / x, and its limit at 0.
CHAMOMILE_HD double nfw_depth(double x)
{
    if (x > 0.5)
        return shared_logarithm(1 + x) / x;
    const double s = x / (2 + x);
    return 2 / (2 + x) * (s > 0 ? 1 + artanh_beyond_first(s) / s : 1);
}

/// The pull of a sphere of strength 1: the acceleration is -pull r, the potential -depth; slope is
/// (d pull / dr) / r.
struct RadialPull {
    double pull, depth, slope;
};

CHAMOMILE_HD RadialPull point_pull(double r2)
{
    const double u = 1 / sqrt(r2);
    return {u * u * u, u, -3 * u * u * u * u * u};
}

CHAMOMILE_HD RadialPull hernquist_pull(double r, double a)
{
    const double d = 1 / (r + a);
    return {d * d / r, d, -(3 * r + a) * d * d * d / (r * r * r)};
}

/// An NFW halo has no mass beyond `end`, possibly infinite.
CHAMOMILE_HD RadialPull nfw_pull(double r, double scale, double end)
{
    if (r > end) {
        const double m = nfw_mass(end / scale);
        const RadialPull point = point_pull(r * r);
        return {m * point.pull, m * point.depth, m * point.slope};
    }
    const double x = r / scale, m = nfw_mass(x), r3 = r * r * r;
    return {m / r3, (nfw_depth(x) - 1 / (1 + end / scale)) / scale,
            (x / ((1 + x) * (1 + x) * scale) - 3 * m / r) / (r3 * r)};
}

/// The potential by Henon (1959), -1 / (b + sqrt(b^2 + r^2)).
CHAMOMILE_HD RadialPull isochrone_pull(double r2, double b)
{
    const double s = sqrt(b * b + r2), d = 1 / (b + s), pull = d * d / s;
    return {pull, d, -pull / s * (1 / s + 2 * d)};
}

/// The sphere of Dehnen (1993) and Tremaine et al. (1994) with density as r^-slope (r +
/// a)^(slope-4), slope < 2.
CHAMOMILE_HD RadialPull dehnen_pull(double r, double a, double slope)
{
    if (!(r > 0))
        return {0, 1 / ((2 - slope) * a), 0};
    const double d = 1 / (r + a), r3 = r * r * r;
    const double inner = shared_exponential((2 - slope) * shared_logarithm(r * d)),
                 m = inner * (r * d);
    return {m / r3, (1 - inner) / ((2 - slope) * a),
            m * ((3 - slope) * (a * d) - 3) / (r3 * r * r)};
}

/// A sphere with density as r^-slope exp(-r^2 / a^2), slope < 2. With x = (r / a)^2 the mass
/// within r is the incomplete Gamma function of (3 - slope) / 2 below x; the potential of the mass
/// beyond r is the one of 1 - slope / 2 above x.
CHAMOMILE_HD RadialPull cutoff_pull(double r, const ExternalTerm& term)
{
    const double x = (r / term.a) * (r / term.a), s = 1 - 0.5 * term.b, r3 = r * r * r;
    const double outer = term.c * incomplete_gamma(s, term.d, x).above / term.a;
    if (!(r > 0))
        return {0, outer, 0};
    const double m = term.c * incomplete_gamma(s + 0.5, 1 / term.c, x).below;
    const double shell = 2 * term.c * shared_exponential((s + 0.5) * shared_logarithm(x) - x);
    return {m / r3, m / r + outer, (shell - 3 * m) / (r3 * r * r)};
}

/// Returns the pull of a sphere. At the center it is 0, except for a point mass without a value
/// there.
CHAMOMILE_HD RadialPull radial_pull(const ExternalTerm& term, double r2)
{
    if (term.shape == PotentialShape::plummer)
        return point_pull(r2 + term.a * term.a);
    if (term.shape == PotentialShape::point)
        return point_pull(r2);
    if (term.shape == PotentialShape::isochrone)
        return isochrone_pull(r2, term.b);
    const double r = sqrt(r2);
    if (term.shape == PotentialShape::dehnen)
        return dehnen_pull(r, term.a, term.b);
    if (term.shape == PotentialShape::cutoff)
        return cutoff_pull(r, term);
    RadialPull radial = term.shape == PotentialShape::hernquist ? hernquist_pull(r, term.a)
                                                                : nfw_pull(r, term.a, term.b);
    if (!(r > 0))
        radial.pull = radial.slope = 0;
    return radial;
}

/// Adds the logarithmic potential, v0^2 / 2 ln(core^2 + R^2 + z^2 / q^2).
CHAMOMILE_HD void add_logarithmic(const ExternalTerm& term, const Vec3<double>& r,
                                  ExternalPull& pull)
{
    const double d = term.a * term.a + r.x * r.x + r.y * r.y + r.z * r.z * term.b,
                 part = term.strength / d;
    pull.acceleration -= part * Vec3<double>{r.x, r.y, term.b * r.z};
    pull.potential += 0.5 * term.strength * shared_logarithm(d);
}

/// Intermediate values of a Miyamoto-Nagai potential at one position: with B^2 = z^2 + b^2 the
/// potential is -G M u, u^-2 = R^2 + (a + B)^2, and the vertical pull is k = (a + B) / B times a
/// sphere's.
struct FlattenedPlace {
    double big_b, u, k;

    CHAMOMILE_HD FlattenedPlace(const ExternalTerm& term, const Vec3<double>& r)
        : big_b(sqrt(r.z * r.z + term.b * term.b)),
          u(1 / sqrt(r.x * r.x + r.y * r.y + (term.a + big_b) * (term.a + big_b))),
          k(big_b > 0 ? (term.a + big_b) / big_b : 0)
    {}
};

/// Adds the potential of a disk by Miyamoto & Nagai (1975).
CHAMOMILE_HD void add_flattened(const ExternalTerm& term, const Vec3<double>& r, ExternalPull& pull)
{
    const FlattenedPlace at(term, r);
    const double part = term.strength * at.u * at.u * at.u;
    pull.acceleration -= part * Vec3<double>{r.x, r.y, at.k * r.z};
    pull.potential -= term.strength * at.u;
}

} // namespace external

/// Adds the term's acceleration and potential at x.
CHAMOMILE_HD void add_term(const ExternalTerm& term, const Vec3<double>& x, ExternalPull& pull)
{
    const Vec3<double> r = x - term.center;
    if (term.shape == PotentialShape::logarithmic)
        return external::add_logarithmic(term, r, pull);
    if (term.shape == PotentialShape::miyamoto_nagai)
        return external::add_flattened(term, r, pull);
    const external::RadialPull radial = external::radial_pull(term, norm_squared(r));
    pull.acceleration -= (term.strength * radial.pull) * r;
    pull.potential -= term.strength * radial.depth;
}

/// Returns the sum over all terms at x, in order.
CHAMOMILE_HD ExternalPull pull_of(const ExternalTerms& terms, const Vec3<double>& x)
{
    ExternalPull pull;
    for (int k = 0; k < terms.count; ++k)
        add_term(terms.term[k], x, pull);
    return pull;
}

/// A FrameTurn is the turn of a rotating frame about z during a drift. In the inertial frame a
/// drift is a straight line; the result is then turned into the rotating frame. Drifts and kicks
/// thus remain symplectic and reversible. Velocities are relative to the rotating frame.
struct FrameTurn {
    double rate = 0, cosine = 1, sine = 0; ///< cosine and sine of the angle

    CHAMOMILE_HD void drift(double length, Vec3<double>& x, Vec3<double>& v) const
    {
        const Vec3<double> still{v.x - rate * x.y, v.y + rate * x.x, v.z};
        const Vec3<double> to = x + length * still;
        x = {cosine * to.x + sine * to.y, cosine * to.y - sine * to.x, to.z};
        v = {cosine * still.x + sine * still.y + rate * x.y,
             cosine * still.y - sine * still.x - rate * x.x, still.z};
    }
};

} // namespace chamomile
