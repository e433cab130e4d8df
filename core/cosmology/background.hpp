/// \file  The expanding background: Friedmann's equation and integrals over it.
#pragma once

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/range.hpp"

namespace chamomile {

/// Hubble distance in Mpc/h: the speed of light in km/s over 100 km/s/Mpc.
inline constexpr double hubble_distance = 2997.92458;

/// A Background has matter, curvature, radiation and dark energy with equation of state w = w0 + wa
/// (1 - a) (Chevallier & Polarski 2001, Linder 2003), in units of the critical density today. The
/// scale factor a is 1 today. H0 = 1: E = H / H0, times in units of 1 / H0.
struct Background {
    double omega_matter = 0.3, omega_lambda = 0.7, omega_radiation = 0;
    double w0 = -1, wa = 0;
    double hubble = 0.7; ///< h = H0 / (100 km/s/Mpc)

    double omega_curvature() const { return 1 - omega_matter - omega_lambda - omega_radiation; }

    /// Returns E = H(a) / H0.
    double expansion(double a) const;
    /// Returns d ln E / d ln a.
    double expansion_slope(double a) const;
    /// Returns Omega_m(a), the matter fraction of the critical density at that time.
    double matter_part(double a) const;
    /// Returns H0 t, the time since a = 0.
    double age(double a) const;

    /// Returns H0 times the integral of da / (a^2 H). Accelerations times this factor change
    /// momenta a^2 dx/dt (Quinn et al. 1997).
    double kick(double from, double to) const;
    /// Returns H0 times the integral of da / (a^3 H): the factor from momenta to comoving shifts.
    double drift(double from, double to) const;

    friend bool operator==(const Background&, const Background&) = default;
};

/// A BackgroundRange is the allowed range of a parameter, for files and options.
struct BackgroundRange {
    const char* name;
    double Background::*value;
    Range range;
};
inline constexpr BackgroundRange background_ranges[] = {
    {"omega-m", &Background::omega_matter, ranges::omega_matter},
    {"omega-l", &Background::omega_lambda, ranges::omega_lambda},
    {"omega-r", &Background::omega_radiation, ranges::omega_radiation},
    {"w0", &Background::w0, ranges::w0},
    {"wa", &Background::wa, ranges::wa},
    {"hubble", &Background::hubble, ranges::hubble}};

/// Throws Error(usage) for parameters out of range, or if the universe stops expanding between
/// the scale factors.
void validate(const Background& background, double from, double to);

/// Returns the redshift; exactly 0 if the scale factor is 1 up to rounding.
inline double redshift_of(double scale_factor)
{
    const double redshift = 1 / scale_factor - 1;
    return redshift > -1e-14 && redshift < 1e-14 ? 0 : redshift;
}
/// Returns the scale factor at a redshift.
inline double scale_factor_of(double redshift)
{
    return 1 / (1 + redshift);
}

} // namespace chamomile
