#include "chamomile/core/units.hpp"

#include <cmath>
#include <cstdio>

namespace chamomile {
namespace {

constexpr double gravitational_constant_cgs = 6.672e-8;
constexpr double kpc_in_cm = 3.085678e21, solar_mass_in_g = 1.989e33;
constexpr double astronomical_unit_in_cm = 1.495978707e13;

bool near(double a, double b)
{
    return std::abs(a / b - 1) < 1e-3;
}

/// Returns the value as a multiple of a named unit; omits a factor of 1.
std::string multiple(double value, double unit, const char* name)
{
    if (near(value, unit))
        return name;
    char text[64];
    std::snprintf(text, sizeof text, "%.6g %s", value / unit, name);
    return text;
}

} // namespace

double Units::gravitational_constant() const
{
    if (!physical)
        return 1;
    return gravitational_constant_cgs * mass_in_g /
           (length_in_cm * velocity_in_cm_per_s * velocity_in_cm_per_s);
}

double Units::hubble_rate(double hubble) const
{
    const double h = per_hubble ? 1 : hubble; // with lengths per h, h cancels
    return 1e7 * h / (1000 * kpc_in_cm) * length_in_cm / velocity_in_cm_per_s;
}

std::string Units::description() const
{
    if (!physical)
        return "N-body units (G = 1)";
    const char* h = per_hubble ? "/h" : "";
    const std::string length =
        length_in_cm > 100 * kpc_in_cm    ? multiple(length_in_cm, 1000 * kpc_in_cm, "Mpc")
        : length_in_cm > 0.1 * kpc_in_cm  ? multiple(length_in_cm, kpc_in_cm, "kpc")
        : length_in_cm > 1e-6 * kpc_in_cm ? multiple(length_in_cm, 1e-3 * kpc_in_cm, "pc")
                                          : multiple(length_in_cm, astronomical_unit_in_cm, "AU");
    const std::string mass = near(mass_in_g, 1e10 * solar_mass_in_g)
                                 ? "1e10 Msun"
                                 : multiple(mass_in_g, solar_mass_in_g, "Msun");
    return length + h + ", " + mass + h + ", " + multiple(velocity_in_cm_per_s, 1e5, "km/s");
}

Units Units::gadget(bool per_hubble)
{
    return {kpc_in_cm, 1e10 * solar_mass_in_g, 1e5, true, per_hubble};
}

} // namespace chamomile
