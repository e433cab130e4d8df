#include "chamomile/initial/cosmology/mass_function.hpp"

#include <cmath>
#include <numbers>

#include "chamomile/core/cosmology/growth.hpp"

namespace chamomile {
namespace {

constexpr double critical_density = 2.77536627e11; ///< today, in h^2 Msun / Mpc^3

/// Returns A ((b / sigma)^a + 1) exp(-c / sigma^2), as in Warren and Tinker.
double warren_form(double A, double a, double b, double c, double sigma)
{
    return A * (std::pow(b / sigma, a) + 1) * std::exp(-c / (sigma * sigma));
}

} // namespace

double multiplicity(MassFunctionFit fit, double sigma, double redshift)
{
    switch (fit) {
    case MassFunctionFit::sheth_tormen: {
        const double x = 0.707 * std::pow(1.68647 / sigma, 2);
        return 0.3222 * std::sqrt(2 * x / std::numbers::pi) * (1 + std::pow(x, -0.3)) *
               std::exp(-x / 2);
    }
    case MassFunctionFit::warren:
        return 0.7234 * (std::pow(sigma, -1.625) + 0.2538) * std::exp(-1.1982 / (sigma * sigma));
    case MassFunctionFit::watson:
        return warren_form(0.282, 2.163, 1.406, 1.21, sigma);
    case MassFunctionFit::tinker: {
        const double z = 1 + redshift;
        const double alpha = std::pow(10, -std::pow(0.75 / std::log10(200 / 75.), 1.2));
        return warren_form(0.186 * std::pow(z, -0.14), 1.47 * std::pow(z, -0.06),
                           2.57 * std::pow(z, -alpha), 1.19, sigma);
    }
    }
    return 0;
}

MassFunction::MassFunction(const LinearPower& linear, const Background& background, double redshift)
    : linear_(linear), density_(background.omega_matter * critical_density),
      growth_(growth(background, scale_factor_of(redshift)).D1 / growth(background, 1).D1),
      redshift_(redshift)
{}

double MassFunction::radius(double mass) const
{
    return std::cbrt(3 * mass / (4 * std::numbers::pi * density_));
}

double MassFunction::sigma(double mass) const
{
    return growth_ * linear_.sigma(radius(mass));
}

double MassFunction::operator()(MassFunctionFit fit, double mass) const
{
    constexpr double step = 0.02; // in ln M; relative error 1e-6
    const double slope =
        std::log(sigma(mass * std::exp(-step)) / sigma(mass * std::exp(step))) / (2 * step);
    return multiplicity(fit, sigma(mass), redshift_) * density_ / mass * slope;
}

} // namespace chamomile
