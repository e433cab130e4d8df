#include "chamomile/run/texts/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "chamomile/core/cosmology/growth.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/initial/cosmology/linear_power.hpp"
#include "chamomile/integrate/suggested_softening.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/summary.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile {
namespace {

using Doubts = std::vector<Doubt>;

/// A named number that may explain a ratio.
struct Explanation {
    double value;
    std::string name;
};

/// Returns the name of the number that equals the ratio within this relative difference, or "".
std::string explained(double ratio, double within, const std::vector<Explanation>& known)
{
    std::string name;
    double nearest = std::log(1 + within);
    for (const Explanation& one : known)
        if (const double distance = std::abs(std::log(ratio / one.value));
            one.value > 0 && std::abs(std::log(one.value)) > nearest && distance < nearest) {
            nearest = distance;
            name = one.name;
        }
    return name;
}

void doubt_units(const Snapshot& snapshot, Doubts& found)
{
    if (!snapshot.has_stated_units && snapshot.units.physical)
        found.push_back({"the file states no units: read in " + snapshot.units.description(),
                         "{units} SYSTEM reads the numbers in other units"});
    if (snapshot.comoving && !(snapshot.comoving->hubble > 0))
        found.push_back(
            {"the file states no h",
             "'run --set cosmology.hubble=0.7' sets it; other commands need HubbleParam "
             "in the file"});
    for (const auto& [part, mend] :
         {std::pair("is not 1/(1+z)", "write Time = 1/(1+Redshift) for comoving coordinates, or "
                                      "Redshift 0 for plain ones"),
          {"differ by", "remove Masses or MassTable of this type from the file"},
          {"{box-length}", "{box-length} 50Mpc/h {h} 0.7, with the side and h of the run"},
          {"high words", "write NumPart_Total_HighWord 0"},
          {"only for some types", "write SofteningLength for all types, or give {eps-type}"}})
        for (const std::string& note : snapshot.notes)
            if (note.find(part) != note.npos)
                found.push_back({note, mend});
}

void doubt_density(const Snapshot& snapshot, Doubts& found)
{
    constexpr double noted = 1e-3;
    if (!has_critical_density(snapshot) || !(snapshot.box_size > 0))
        return;
    const double ratio = density_over_critical(snapshot) / snapshot.comoving->omega_matter,
                 h = snapshot.comoving->hubble;
    if (std::abs(ratio - 1) <= noted)
        return;
    std::vector<Explanation> known{{1e9, "the unit of length is 1000 times longer than assumed"},
                                   {1e-9, "the unit of length is 1000 times shorter than assumed"},
                                   {1e10, "the unit of mass is 1e10 times larger than assumed"},
                                   {1e-10, "the unit of mass is 1e10 times smaller than assumed"}};
    if (h > 0) {
        known.push_back({h * h, "lengths and masses are without h, but read per h"});
        known.push_back({1 / (h * h), "lengths and masses are per h, but read without h"});
        known.push_back({h, "masses are read with a wrong h"});
        known.push_back({1 / h, "masses are read with a wrong h"});
        known.push_back({h * h * h, "lengths are read with a wrong h"});
        known.push_back({1 / (h * h * h), "lengths are read with a wrong h"});
    }
    std::string reason = explained(ratio, 0.02, known);
    if (reason.empty() && ratio > 0.8 && ratio < 0.9)
        reason = "gas is missing";
    found.push_back({density_text(snapshot) + formatted(": %.4g times", ratio) +
                         (reason.empty() ? "" : "; " + reason + "?"),
                     "{units} names the units of lengths and masses; or Omega0 or BoxSize of the "
                     "file is wrong"});
}

void doubt_ids(const Particles& particles, Doubts& found)
{
    std::vector<std::uint64_t> sorted = particles.id;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t different =
        std::size_t(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
    if (different < particles.size())
        found.push_back(
            {formatted("%zu of %zu ids are double: ", particles.size() - different,
                       particles.size()) +
                 (2 * different == particles.size() ? "are all particles in the file twice?"
                                                    : "are they counted by type or by file?"),
             "other commands refuse the file: write different ids, such as 1 to N, or none"});
}

void doubt_places(const Snapshot& snapshot, const SnapshotSummary& summary, Doubts& found)
{
    const Particles& particles = snapshot.particles;
    const Vec3<double> extent = summary.upper - summary.lower;
    const double longest = std::max({extent.x, extent.y, extent.z}), side = snapshot.box_size;
    if (side > 0) {
        const Outside out = outside(snapshot, side);
        if (out.particles > 0)
            found.push_back(
                {outside_text(out), out.sides > 1
                                        ? "BoxSize is in another unit than positions: correct it "
                                          "in the file, or give 'run {box}'"
                                        : "nothing, if the box is periodic; else '{box} 0'"});
        constexpr std::size_t many = 1000;
        if (const double part = longest / side; summary.count >= many && part < 0.9) {
            const double h = snapshot.comoving ? snapshot.comoving->hubble : 0;
            std::vector<Explanation> known{{1e-3, "is BoxSize in kpc and are positions in Mpc?"}};
            if (h > 0)
                known.push_back({h, "is this h?"});
            const std::string reason = explained(part, 0.05, known);
            found.push_back(
                {formatted("particles fill %.3g of the box: ", part) +
                     (reason.empty() ? "an isolated system in a periodic box?" : reason),
                 "'{box} 0' makes forces isolated; else correct BoxSize in the file"});
        }
    }
    std::vector<Vec3<double>> places = particles.position;
    std::sort(places.begin(), places.end(), [](const Vec3<double>& a, const Vec3<double>& b) {
        return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
    });
    std::size_t same = 0;
    for (std::size_t i = 1; i < places.size(); ++i)
        same += places[i] == places[i - 1];
    if (same > 0)
        found.push_back({formatted("%zu particles are at the place of another one", same),
                         "write positions in double precision, or give {eps}"});
}

void doubt_masses(const SnapshotSummary& summary, Doubts& found)
{
    for (std::size_t type = 0; type < summary.types.size(); ++type) {
        const TypeSummary& one = summary.types[type];
        if (one.count > 0 && one.min_mass == 0)
            found.push_back(
                {formatted("type %zu (%s) has particles without mass", type, type_names[type]),
                 one.max_mass == 0 ? "write its mass in MassTable, or run them by {tracers}"
                                   : "they are no sources: leave them out or write their masses"});
    }
}

void doubt_softening(const Snapshot& snapshot, Doubts& found)
{
    if (!snapshot.softening)
        return;
    SolverOptions solver;
    solver.softening = *snapshot.softening;
    for (const std::string& line : suspicious_inputs(snapshot, solver))
        found.push_back({line, "{eps} LENGTH, with a unit such as 50pc, replaces the file's"});
}

/// Returns the rms speed relative to the mean velocity.
double rms_speed(const Particles& particles, const Vec3<double>& mean)
{
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        sum += particles.mass[i] * norm_squared(particles.velocity[i] - mean);
        mass += particles.mass[i];
    }
    return mass > 0 ? std::sqrt(sum / mass) : 0;
}

/// Returns the rms peculiar speed in km/s by linear theory, of the modes that box and particles
/// resolve.
double linear_speed(const Snapshot& snapshot)
{
    const Background background = background_of(*snapshot.comoving);
    PowerOptions options;
    options.background = background;
    const LinearPower power(options);
    const double a = snapshot.comoving->scale_factor,
                 side = snapshot.box_size * snapshot.units.length_in_cm / 3.085678e24 *
                        (snapshot.units.per_hubble ? 1 : background.hubble); // Mpc/h
    const double low = 2 * std::numbers::pi / side,
                 high = low / 2 * std::cbrt(double(snapshot.particles.size()));
    constexpr int steps = 400;
    const double step = std::log(high / low) / steps;
    double variance = 0; // of displacements today
    for (int n = 0; n < steps; ++n) {
        const double k = low * std::exp((n + 0.5) * step);
        variance += power(k) * k * step / (2 * std::numbers::pi * std::numbers::pi);
    }
    const Growth now = growth(background, a), today = growth(background, 1);
    return 100 * a * background.expansion(a) * now.f1 * now.D1 / today.D1 * std::sqrt(variance);
}

void doubt_comoving_velocities(const Snapshot& snapshot, const SnapshotSummary& summary,
                               Doubts& found)
{
    constexpr double allowed = 2; // cosmic variance, sigma8, nonlinear motions
    if (!has_critical_density(snapshot) || !(snapshot.box_size > 0) || summary.count < 1000 ||
        !(snapshot.comoving->hubble > 0))
        return;
    const double speed = rms_speed(snapshot.particles, summary.mean_velocity) *
                         snapshot.units.velocity_in_cm_per_s / 1e5,
                 expected = linear_speed(snapshot), ratio = speed / expected,
                 a = snapshot.comoving->scale_factor;
    if (!(expected > 0) || (ratio < allowed && ratio > 1 / allowed))
        return;
    const bool is_swift = snapshot.format.starts_with("HDF5, SWIFT");
    const std::string reason =
        ratio == 0
            ? "all velocities are equal"
            : explained(ratio, 0.5,
                        {{std::sqrt(a), "peculiar velocities v in place of v/sqrt(a)"},
                         {1 / std::sqrt(a), is_swift ? "GADGET's v/sqrt(a) in place of v"
                                                     : "comoving velocities dx/dt in place of "
                                                       "v/sqrt(a)"},
                         {a * std::sqrt(a), "canonical momenta a^2 dx/dt in place of "
                                            "v/sqrt(a)"},
                         {1000, "m/s in place of km/s"},
                         {1e-3, "units of 1000 km/s"}});
    found.push_back(
        {formatted("velocities: rms %.3g km/s, but linear theory has %.3g at a = %.4g: %.3g times",
                   speed, expected, a, ratio) +
             (reason.empty() ? "" : "; " + reason + "?"),
         is_swift ? "SWIFT's files hold peculiar velocities a dx/dt: rewrite Velocities"
                  : "GADGET's files hold a dx/dt / sqrt(a): rewrite Velocities"});
}

void doubt_energies(const Snapshot& snapshot, const SnapshotSummary& summary, Doubts& found)
{
    constexpr std::size_t max_count = 1000000;
    constexpr double hot = 20, cold = 1e-3;
    const bool may_be_comoving =
        std::any_of(snapshot.notes.begin(), snapshot.notes.end(),
                    [](const std::string& note) { return note.find("{box-length}") != note.npos; });
    if (snapshot.comoving || may_be_comoving || snapshot.box_size > 0 || summary.count < 10 ||
        summary.count > max_count || !(summary.total_mass > 0))
        return;
    Particles particles = snapshot.particles;
    const double speed = rms_speed(particles, summary.mean_velocity);
    if (speed == 0) {
        found.push_back({"all velocities are equal", "a cold start, or velocities are missing"});
        return;
    }
    particles.softening.clear();
    SolverOptions options;
    options.tolerance = 0.01;
    options.device = "cpu";
    options.gravitational_constant = snapshot.G();
    options.softening.length = suggested_softening(particles, *rows_of(snapshot));
    make_solver(options)->solve(particles, Quantities::acceleration_potential);
    double binding = 0;
    for (std::size_t i = 0; i < particles.size(); ++i)
        binding -= 0.5 * particles.mass[i] * particles.potential[i];
    const double ratio = summary.total_mass * speed * speed / binding; // 2 K / |W|
    if (!(binding > 0) || (ratio < hot && ratio > cold))
        return;
    found.push_back(
        {formatted("energies: 2 K / |W| is %.3g, 1 in equilibrium: velocities are %.3g times those "
                   "of a bound system",
                   ratio, std::sqrt(ratio)),
         "{units} names the units of length, mass and velocity; 'run {G}' another G"});
}

} // namespace

std::vector<Doubt> doubts(const Snapshot& snapshot)
{
    Doubts found;
    if (snapshot.particles.size() == 0)
        return {{"the file has no particles", "another piece or file"}};
    const SnapshotSummary summary = summarize(snapshot.particles);
    doubt_units(snapshot, found);
    doubt_density(snapshot, found);
    doubt_masses(summary, found);
    doubt_comoving_velocities(snapshot, summary, found);
    doubt_energies(snapshot, summary, found);
    doubt_places(snapshot, summary, found);
    doubt_ids(snapshot.particles, found);
    doubt_softening(snapshot, found);
    return found;
}

} // namespace chamomile
