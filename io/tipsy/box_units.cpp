#include "chamomile/io/tipsy/box_units.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/range.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile {
namespace {

/// Brings positions from about the origin to about the middle of the box, or back, and velocities
/// from dx/dt to a dx/dt, or back.
void change_frame(Snapshot& snapshot, double shift, double velocity_factor)
{
    const Vec3<double> half{shift, shift, shift};
    for (Vec3<double>& x : snapshot.particles.position)
        x += half;
    for (Vec3<double>& v : snapshot.particles.velocity)
        v = velocity_factor * v;
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

void take_box_scale(Snapshot& snapshot, const BoxScale& scale, const std::string& what)
{
    if (snapshot.has_stated_units || snapshot.units.physical || snapshot.comoving)
        throw Error(Fault::usage, what +
                                      ": is for files without units, such as Tipsy's; this "
                                      "one is in " +
                                      snapshot.units.description());
    if (!ranges::scale_factor.contains(snapshot.time))
        throw Error(Fault::usage, what + ": the time of the file, " + number_text(snapshot.time) +
                                      ", is no scale factor: the file is not comoving");
    const double mass =
        std::accumulate(snapshot.particles.mass.begin(), snapshot.particles.mass.end(), 0.0);
    char omega[32];
    std::snprintf(omega, sizeof omega, "%.6g", mass);
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
                             ": its mass is Omega_m = " + std::string(omega) +
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
