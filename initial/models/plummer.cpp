#include "chamomile/initial/models/plummer.hpp"

#include <cmath>

#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/core/random.hpp"
#include "chamomile/initial/models/model.hpp"
#include "chamomile/initial/models/self_energy.hpp"

namespace chamomile {
namespace {

/// Draws a speed in units of the escape speed, by rejection from q^2 (1 - q^2)^(7/2) <= 0.0925
/// (Aarseth, Henon & Wielen 1974, eq. A5; the maximum lies at q^2 = 2/9).
double draw_speed(RandomStream& random)
{
    for (;;) {
        const double q = random.uniform(), height = 0.0925 * random.uniform();
        if (height < q * q * std::pow(1 - q * q, 3.5))
            return q;
    }
}

/// Scales positions and velocities to Henon's energies.
void scale_to_henon(Particles& particles, std::uint64_t exact_energy_limit)
{
    const double potential_energy =
        particles.size() <= exact_energy_limit ? pair_energy(particles) : shell_energy(particles);
    const double length = -2 * potential_energy;
    const double speed = std::sqrt(0.25 / kinetic_energy(particles));
    for (std::size_t i = 0; i < particles.size(); ++i) {
        particles.position[i] = length * particles.position[i];
        particles.velocity[i] = speed * particles.velocity[i];
    }
}

/// Returns the half-mass radius of a truncated sphere in Henon units.
double henon_half_mass_radius(double truncation)
{
    // In units of the scale radius, with r = tan x, the energy is -int M dM / r =
    // -3 int sin^4 x cos^2 x dx.
    const double x = std::atan(truncation), part = std::pow(std::sin(x), 3);
    const double energy = 3 * (x / 16 - std::sin(4 * x) / 64 - std::pow(std::sin(2 * x), 3) / 48);
    const double half = 1 / std::sqrt(std::pow(part / 2, -2.0 / 3) - 1);
    return 2 * energy / (part * part) * half;
}

Snapshot drawn_plummer(const PlummerOptions& options, std::uint64_t n)
{
    Snapshot snapshot = equal_mass_snapshot(n, 1, halo_type);
    Particles& particles = snapshot.particles;
    snapshot.provenance = {{"model", "plummer"}, {"seed", std::to_string(options.seed)}};

    // M(r) = r^3 / (r^2 + a^2)^(3/2). Lengths are in units of a until scaled below.
    const double t2 = options.truncation * options.truncation;
    const double largest_mass = std::pow(t2 / (t2 + 1), 1.5);
    parallel_loop(particles.size(), 1024, [&](std::size_t i) {
        RandomStream random(options.seed, halo_type, i);
        const double mass = largest_mass * random.uniform();
        const double r = 1 / std::sqrt(std::pow(mass, -2.0 / 3) - 1);
        particles.position[i] = random.direction(r);
        const double escape_speed = std::sqrt(2 / std::sqrt(1 + r * r));
        particles.velocity[i] = random.direction(escape_speed * draw_speed(random));
    });

    move_to_barycenter(particles);
    return snapshot;
}

} // namespace

Snapshot make_plummer(const PlummerOptions& options)
{
    require(options.truncation > 0 && std::isfinite(options.truncation), "truncation",
            options.truncation, "must be positive");
    require_particle_number(options.particles);
    const std::uint64_t n =
        number_of_stars(options.stars, options.size.physical, options.size.mass, options.particles);
    Snapshot snapshot =
        populated(options.stars, systems_of(options.stars, n), options.seed,
                  [&](std::uint64_t count) { return drawn_plummer(options, count); });
    if (snapshot.particles.size() > 1)
        scale_to_henon(snapshot.particles, options.exact_energy_limit);
    options.size.apply(henon_half_mass_radius(options.truncation), snapshot);
    split_binaries(options.stars, options.seed, snapshot, 0, snapshot.particles.size());
    return snapshot;
}

} // namespace chamomile
