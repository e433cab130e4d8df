#include "chamomile/io/unit_conversion.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/io/file_rows.hpp"

namespace chamomile {
namespace {

/// Relative difference below which two values of G count as equal: files state few digits, and
/// codes use different constants.
constexpr double tolerance_of_G = 1e-3;

void scale(std::vector<Vec3<double>>& vectors, double factor)
{
    for (Vec3<double>& v : vectors)
        v = factor * v;
}

void scale(std::vector<double>& numbers, double factor)
{
    for (double& x : numbers)
        x *= factor;
}

} // namespace

UnitFrame unit_frame_of(const Snapshot& snapshot)
{
    return {.units = snapshot.units,
            .hubble = snapshot.comoving ? snapshot.comoving->hubble : 0,
            .has_plain_time = !snapshot.comoving};
}

void convert_units(Snapshot& snapshot, const Units& units, const std::string& what)
{
    const double hubble = unit_frame_of(snapshot).hubble;
    const auto ratio = [&](Dimension dimension) {
        return unit_ratio(dimension, snapshot.units, units, hubble, what);
    };
    const double length = ratio(dimensions::length);
    Particles& particles = snapshot.particles;
    const auto scale_moving = [&](Column value, auto& values, double factor) {
        scale(values, factor);
        if (snapshot.deferred)
            snapshot.deferred->multiply(value, factor);
    };
    scale(particles.mass, ratio(dimensions::mass));
    scale_moving(Column::position, particles.position, length);
    scale_moving(Column::velocity, particles.velocity, ratio(dimensions::velocity));
    scale_moving(Column::acceleration, particles.acceleration, ratio(dimensions::acceleration));
    scale_moving(Column::potential, particles.potential, ratio(dimensions::potential));
    scale(particles.softening, length);
    snapshot.box_size *= length;
    if (snapshot.softening)
        snapshot.softening->length *= length;
    if (snapshot.comoving)
        snapshot.comoving->physical_softening *= length;
    else
        snapshot.time *= ratio(dimensions::time);
    if (snapshot.gravitational_constant)
        *snapshot.gravitational_constant *= ratio(dimensions::gravity);
    snapshot.units = units;
}

void choose_units(Snapshot& snapshot, const Units& units, const std::string& what)
{
    const bool states_units = snapshot.has_stated_units;
    std::erase(snapshot.notes, snapshot.units_note); // that note assumes other units
    if (states_units && snapshot.units.physical)
        convert_units(snapshot, units, what);
    else {
        if (states_units &&
            std::abs(units.gravitational_constant() / snapshot.G() - 1) > tolerance_of_G)
            throw Error(Fault::usage,
                        what + (snapshot.gravitational_constant
                                    ? ": the file states G = " + number_text(snapshot.G()) +
                                          ", but " + number_text(units.gravitational_constant()) +
                                          " in these units: must be other units"
                                    : ": particles in N-body units (G = 1): must be LENGTH,MASS, "
                                      "as in kpc,1e10Msun"));
        const double G = snapshot.G();
        snapshot.units = units;
        if (states_units && snapshot.G() != G) // only rounding differs
            snapshot.gravitational_constant = G;
        snapshot.notes.push_back("numbers interpreted in " + units.description());
    }
    snapshot.has_stated_units = true;
}

} // namespace chamomile
