#include "chamomile/io/tipsy/box_units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "chamomile/core/box.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/range.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile {
namespace {

constexpr double farthest = 0.51, min_side = 0.75; ///< box sides

/// Shifts positions between a box centered on the origin and a box in [0, 1), and scales velocities
/// between dx/dt and a dx/dt.
void change_frame(Snapshot& snapshot, double shift, double velocity_factor)
{
    const Vec3<double> half{shift, shift, shift};
    for (Vec3<double>& x : snapshot.particles.position)
        x += half;
    for (Vec3<double>& v : snapshot.particles.velocity)
        v = velocity_factor * v;
}

double mass_of(const Snapshot& snapshot)
{
    return std::accumulate(snapshot.particles.mass.begin(), snapshot.particles.mass.end(), 0.0);
}

std::string omega_text(double mass)
{
    char omega[32];
    std::snprintf(omega, sizeof omega, "%.6g", mass);
    return omega;
}

} // namespace

Units box_units(const BoxScale& scale)
{
    Units units{scale.side_in_cm, 1, 1, true, false};
    const double code_hubble = std::sqrt(8 * std::numbers::pi / 3);
    units.velocity_in_cm_per_s = units.hubble_rate(scale.hubble) / code_hubble;
    units.mass_in_g = 1 / units.gravitational_constant();
    return units;
}

void warn_of_unscaled_box(Snapshot& snapshot)
{
    Box extent;
    for (const Vec3<double>& x : snapshot.particles.position)
        extent.add(x);
    const Vec3<double>&low = extent.low, &high = extent.high, sides = high - low;
    const bool fills_cube = std::min({low.x, low.y, low.z}) >= -farthest &&
                            std::max({high.x, high.y, high.z}) <= farthest &&
                            std::min({sides.x, sides.y, sides.z}) > min_side;
    const double mass = mass_of(snapshot);
    if (!fills_cube || !(snapshot.time > 0 && snapshot.time <= 1) || mass > 1.001)
        return;
    snapshot.units_note =
        "looks like a comoving box of ChaNGa or PKDGRAV (time " + number_text(snapshot.time) +
        ", side 1 about the origin, mass " + omega_text(mass) +
        "), read as isolated: give run, info or convert {box-length}, such as 50Mpc/h, and {h}";
    snapshot.notes.push_back(snapshot.units_note);
}

void set_box_scale(Snapshot& snapshot, const BoxScale& scale, const std::string& what)
{
    if (snapshot.has_stated_units || snapshot.units.physical || snapshot.comoving)
        throw Error(Fault::usage, what +
                                      ": is for files without units, such as Tipsy's; this "
                                      "one is in " +
                                      snapshot.units.description());
    if (!ranges::scale_factor.contains(snapshot.time))
        throw Error(Fault::usage, what + ": the time of the file, " + number_text(snapshot.time) +
                                      ", is no scale factor: the file is not comoving");
    const double mass = mass_of(snapshot);
    std::erase(snapshot.notes, snapshot.units_note);
    snapshot.units = box_units(scale);
    snapshot.has_stated_units = true;
    snapshot.box_size = 1;
    snapshot.comoving = ComovingFrame{.scale_factor = snapshot.time,
                                      .omega_matter = mass,
                                      .omega_lambda = 1 - mass,
                                      .hubble = scale.hubble};
    snapshot.has_potentials = snapshot.has_accelerations = false;
    change_frame(snapshot, 0.5, snapshot.time);
    snapshot.notes.push_back("a comoving box of side 1 about the origin, in " +
                             snapshot.units.description() +
                             ": its mass is Omega_m = " + omega_text(mass) +
                             ", Omega_Lambda = 1 - Omega_m, velocities read as dx/dt");
}

bool is_tipsy_box(const Snapshot& snapshot)
{
    return snapshot.comoving && snapshot.comoving->hubble > 0 && snapshot.box_size > 0 &&
           snapshot.units.physical;
}

Snapshot as_tipsy_box(const Snapshot& snapshot)
{
    Snapshot box = snapshot;
    const ComovingFrame& frame = *snapshot.comoving;
    double side = snapshot.box_size * snapshot.units.length_in_cm;
    if (snapshot.units.per_hubble)
        side /= frame.hubble;
    convert_units(box, box_units({side, frame.hubble}), "Tipsy");
    box.time = frame.scale_factor;
    change_frame(box, -0.5, 1 / frame.scale_factor);
    return box;
}

} // namespace chamomile
