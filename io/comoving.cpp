#include "chamomile/io/comoving.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

constexpr double density_tolerance = 0.05;

} // namespace

void recognise_comoving(const BackgroundHeader& header, Snapshot& snapshot)
{
    const double scale_factor = 1 / (1 + header.redshift);
    const bool is_time = std::abs(header.time - scale_factor) <= 1e-3 * scale_factor;
    const bool by_gadget = header.omega_lambda != 0 || header.redshift != 0;
    const bool is_isolated = !(snapshot.box_size > 0) && std::abs(header.redshift) < 1e-9;
    const bool comoving = header.comoving.value_or(by_gadget && is_time && !is_isolated);
    if (comoving)
        snapshot.comoving =
            ComovingFrame{scale_factor, header.omega_matter, header.omega_lambda, header.hubble};
    if (!is_time && header.comoving.value_or(by_gadget))
        snapshot.notes.push_back(
            "time " + number_text(header.time) + " is not 1/(1+z) of redshift " +
            number_text(header.redshift) + ": read as " +
            (comoving ? "comoving, not plain" : "plain, not comoving") + " coordinates");
    if (!header.comoving && by_gadget && is_time && is_isolated)
        snapshot.notes.push_back("no box, at time 1 and redshift 0: read as plain, not comoving "
                                 "coordinates");
    if (header.comoving || by_gadget)
        return;
    if (is_time && header.omega_matter > 0 && header.hubble > 0)
        snapshot.notes.push_back("Omega_m " + number_text(header.omega_matter) +
                                 " without Omega_Lambda or redshift: read as plain, not comoving "
                                 "coordinates, as GADGET does");
}

void make_velocities_peculiar(Snapshot& snapshot)
{
    if (!snapshot.comoving)
        return;
    const double factor = velocity_factor(snapshot);
    for (Vec3<double>& velocity : snapshot.particles.velocity)
        velocity = factor * velocity;
    if (snapshot.deferred)
        snapshot.deferred->multiply(Column::velocity, factor);
    if (snapshot.provenance.contains("version")) // this program's files have no other convention
        return;
    char scale_factor[32]; // prints 1 today, where 1/(1+z) differs from 1 by rounding
    std::snprintf(scale_factor, sizeof scale_factor, "%.12g", snapshot.comoving->scale_factor);
    snapshot.notes.push_back("comoving coordinates at scale factor " + std::string(scale_factor) +
                             ": velocities read as u = v/sqrt(a) and made peculiar");
}

double density_over_critical(const Snapshot& snapshot)
{
    const double H0 = snapshot.units.hubble_rate(snapshot.comoving->hubble);
    return exact_sum(snapshot.particles.mass) / std::pow(snapshot.box_size, 3) /
           (3 * H0 * H0 / (8 * std::numbers::pi * snapshot.G()));
}

bool has_density_of_background(const Snapshot& snapshot)
{
    return std::abs(density_over_critical(snapshot) / snapshot.comoving->omega_matter - 1) <
           density_tolerance;
}

bool has_critical_density(const Snapshot& snapshot)
{
    return snapshot.comoving && snapshot.units.physical && snapshot.comoving->omega_matter > 0 &&
           snapshot.comoving->hubble > 0;
}

void infer_units(Snapshot& snapshot)
{
    if (snapshot.has_stated_units || !snapshot.units.physical)
        return;
    std::erase(snapshot.notes, snapshot.units_note); // it referred to another box or Omega_m
    bool is_Mpc = false;
    if (has_critical_density(snapshot) && snapshot.box_size > 0) {
        snapshot.units = Units::gadget(true);
        const bool is_kpc = has_density_of_background(snapshot);
        snapshot.units.length_in_cm *= 1000;
        is_Mpc = !is_kpc && has_density_of_background(snapshot);
        if (!is_Mpc)
            snapshot.units = Units::gadget(true);
    }
    snapshot.units_note = "the file states no units: " + snapshot.units.description() + " assumed" +
                          (is_Mpc ? ", which match the density of Omega_m" : "");
    snapshot.notes.push_back(snapshot.units_note);
}

Units units_by_gadget(const SnapshotFacts& snapshot)
{
    Units units = snapshot.units;
    if (!snapshot.comoving || !units.physical || units.per_hubble)
        return units;
    if (const double h = snapshot.comoving->hubble; h > 0) {
        units.length_in_cm *= h;
        units.mass_in_g *= h;
        units.per_hubble = true;
    }
    return units;
}

bool contradicts_box(double side, const Snapshot& snapshot)
{
    const double stated = snapshot.box_size;
    return stated > 0 && std::abs(side - stated) > 1e-6 * stated;
}

double velocity_factor(const SnapshotFacts& snapshot)
{
    return snapshot.comoving ? std::sqrt(snapshot.comoving->scale_factor) : 1;
}

} // namespace chamomile
