#include "chamomile/initial/models/sphere_profile.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "chamomile/initial/models/king_model.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

/// A Point is a density and d ln rho / d ln r.
struct Point {
    double density, power;
};

Point plummer(double r)
{
    const double w = 1 + r * r;
    return {3 / (4 * pi) / (w * w * std::sqrt(w)), -5 * r * r / w};
}

Point hernquist(double r)
{
    const double w = 1 + r;
    return {1 / (2 * pi * r * w * w * w), -(1 + 4 * r) / w};
}

Point nfw(double r, double c)
{
    const double factor = 1 / (4 * pi * (std::log1p(c) - c / (1 + c)));
    const double power_at_edge = -(1 + 3 * c) / (1 + c);
    const double power = 10 + power_at_edge; // keeps the slope continuous at the edge
    if (r <= c)
        return {factor / (r * (1 + r) * (1 + r)), -(1 + 3 * r) / (1 + r)};
    const double edge = factor / (c * (1 + c) * (1 + c));
    return {edge * std::pow(r / c, power) * std::exp(-10 * (r - c) / c), power - 10 * r / c};
}

Point einasto(double r, double alpha)
{
    // M = 4 pi exp(2 / alpha) (2 / alpha)^(-3 / alpha) Gamma(3 / alpha) / alpha
    const double mass = std::log(4 * pi / alpha) - 3 / alpha * std::log(2 / alpha) +
                        std::lgamma(3 / alpha); // without exp(2 / alpha)
    const double x = 2 / alpha * std::pow(r, alpha);
    return {std::exp(-x - mass), -alpha * x};
}

Point exponential(double r)
{
    const double k0 = std::cyl_bessel_k(0.0, r);
    return {k0 / (2 * pi * pi), -r * std::cyl_bessel_k(1.0, r) / k0};
}

/// Returns the density of unit mass and scale as a function of r.
std::function<Point(double)> density_of(const SphereProfile& profile)
{
    switch (profile.kind) {
    case SphereKind::plummer:
        return plummer;
    case SphereKind::hernquist:
        return hernquist;
    case SphereKind::nfw:
        return [c = profile.concentration](double r) { return nfw(r, c); };
    case SphereKind::einasto:
        return [alpha = profile.alpha](double r) { return einasto(r, alpha); };
    case SphereKind::exponential:
        return exponential;
    case SphereKind::king:
        break;
    }
    return [king = KingModel(profile.w0)](double r) {
        const double density = king.density(r);
        return Point{density, density > 0 ? king.slope(r) * r / density : 0};
    };
}

} // namespace

const char* name_of(SphereKind kind)
{
    constexpr const char* names[] = {"plummer", "hernquist", "nfw",
                                     "einasto", "king",      "exponential"};
    return names[int(kind)];
}

DensityTable density_table(const SphereProfile& profile, const std::vector<double>& radii)
{
    const auto density_at = density_of(profile);
    const double largest = extent_of(profile).largest;
    const double factor = profile.mass / (profile.scale * profile.scale * profile.scale);
    DensityTable table;
    for (double r : radii) {
        const Point point = r <= largest ? density_at(r / profile.scale) : Point{0, 0};
        table.density.push_back(factor * point.density);
        table.slope.push_back(factor * point.density * point.power / r);
    }
    return table;
}

Extent extent_of(const SphereProfile& profile)
{
    const double alpha = profile.alpha;
    const auto extent = [&]() -> Extent {
        switch (profile.kind) {
        case SphereKind::plummer:
            return {1e-2, 1e4};
        case SphereKind::hernquist:
            return {1e-6, 1e4};
        case SphereKind::nfw:
            return {1e-6, 4 * profile.concentration};
        case SphereKind::einasto: // up to exp(-60) of the density at the scale radius
            return {1e-4, std::pow(1 + 30 * alpha, 1 / alpha)};
        case SphereKind::exponential:
            return {1e-3, 60};
        case SphereKind::king:
            break;
        }
        return {1e-2, KingModel(profile.w0).tidal_radius()};
    }();
    return {extent.smallest * profile.scale, extent.largest * profile.scale};
}

std::vector<double> table_radii(const std::vector<SphereProfile>& profiles)
{
    Extent all = extent_of(profiles.front());
    for (const SphereProfile& profile : profiles) {
        const Extent one = extent_of(profile);
        all = {std::min(all.smallest, one.smallest), std::max(all.largest, one.largest)};
    }
    const double decades = std::log10(all.largest / all.smallest);
    return logarithmic_radii(all.smallest, all.largest, std::size_t(std::ceil(400 * decades)));
}

MassWithin mass_within(const SphereProfile& profile, double radius)
{
    const std::vector<double> radii = table_radii({profile});
    const SphericalPotential field(radii,
                                   enclosed_mass(radii, density_table(profile, radii).density));
    const double mass = field.mass(radius);
    const std::size_t k = interval_of(field.masses(), mass / 2);
    const double low = field.masses()[k], high = field.masses()[k + 1];
    return {mass, radii[k] + (mass / 2 - low) / (high - low) * (radii[k + 1] - radii[k])};
}

DensityTable tapered(DensityTable table, const std::vector<double>& radii, double mass,
                     double taper)
{
    for (std::size_t k = 0; k < radii.size(); ++k) {
        const double r = radii[k], factor = std::exp(-(r / taper) * (r / taper));
        table.slope[k] = factor * (table.slope[k] - table.density[k] * 2 * r / (taper * taper));
        table.density[k] *= factor;
    }
    const double factor = mass / enclosed_mass(radii, table.density).back();
    for (std::size_t k = 0; k < radii.size(); ++k) {
        table.density[k] *= factor;
        table.slope[k] *= factor;
    }
    return table;
}

} // namespace chamomile
