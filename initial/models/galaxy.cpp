#include "chamomile/initial/models/galaxy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/initial/models/disk_kinematics.hpp"
#include "chamomile/initial/models/model.hpp"
#include "chamomile/initial/models/self_energy.hpp"

namespace chamomile {
namespace {

constexpr double disk_truncation = 10; // R_d
constexpr double bulge_taper = 25;     // scale radii

/// A Galaxy holds its components in units of the disk: M_d = R_d = 1.
struct Galaxy {
    std::uint64_t halo_particles, disk_particles, bulge_particles;
    double bulge_mass, halo_mass, height;
    SphericalPotential whole;
    std::optional<EquilibriumSphere> halo, bulge;
    DiskKinematics disk;
};

void check(const GalaxyOptions& o)
{
    require(o.particles >= 100, "number of particles", double(o.particles),
            "must be at least 100 for a galaxy");
    require_particle_number(o.particles);
    require(o.disk_part > 0 && o.disk_part <= 1, "disk part", o.disk_part, "must be in (0, 1]");
    require(o.bulge_part >= 0 && o.bulge_part + o.disk_part <= 1, "bulge part", o.bulge_part,
            "must be at least 0, and at most 1 minus the disk part");
    const std::pair<const char*, double> positive[] = {
        {"disk mass", o.disk_mass},  {"disk scale", o.disk_scale},   {"disk height", o.disk_height},
        {"Toomre Q", o.toomre_q},    {"bulge scale", o.bulge_scale}, {"halo scale", o.halo_scale},
        {"halo taper", o.halo_taper}};
    for (const auto& [name, value] : positive)
        require(value > 0 && std::isfinite(value), name, value, "must be positive");
    require(o.bulge_mass >= 0 && std::isfinite(o.bulge_mass), "bulge mass", o.bulge_mass,
            "must be at least 0");
    require(o.halo_mass >= 0 && std::isfinite(o.halo_mass), "halo mass", o.halo_mass,
            "must be at least 0");
}

std::vector<double> sum(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> total(a);
    for (std::size_t k = 0; k < a.size(); ++k)
        total[k] += b[k];
    return total;
}

Galaxy solve_structure(const GalaxyOptions& o)
{
    const double l = o.disk_scale, m = o.disk_mass;
    const double largest =
        std::max({6 * o.halo_taper / l, 6 * bulge_taper * o.bulge_scale / l, 30.0});
    const std::vector<double> radii = logarithmic_radii(1e-5, largest);

    // The taper truncates an NFW halo. Concentration 100 only moves the built-in NFW edge far out.
    const auto table = [&](SphereKind kind, double mass, double scale, double taper) {
        const SphereProfile profile{.kind = kind, .scale = scale / l, .concentration = 100};
        return tapered(density_table(profile, radii), radii, mass / m, taper / l);
    };
    const DensityTable halo = table(o.halo_profile, o.halo_mass, o.halo_scale, o.halo_taper);
    const DensityTable bulge =
        table(o.bulge_profile, o.bulge_mass, o.bulge_scale, bulge_taper * o.bulge_scale);
    const std::vector<double> spheres =
        sum(enclosed_mass(radii, halo.density), enclosed_mass(radii, bulge.density));
    std::vector<double> disk;
    for (double r : radii)
        disk.push_back(-std::expm1(-r) -
                       r * std::exp(-r)); // inside the sphere, thickness neglected

    const bool has_halo = o.halo_mass > 0, has_bulge = o.bulge_mass > 0;
    const double n = double(o.particles);
    const auto bulge_particles = has_bulge ? std::uint64_t(std::llround(o.bulge_part * n)) : 0;
    const auto disk_particles =
        has_halo ? std::uint64_t(std::llround(o.disk_part * n)) : o.particles - bulge_particles;
    SphericalPotential whole(radii, sum(spheres, disk));
    std::optional<EquilibriumSphere> halo_sphere, bulge_sphere;
    if (has_halo)
        halo_sphere.emplace(whole, halo, EquilibriumTerms{.name = "halo"});
    if (has_bulge)
        bulge_sphere.emplace(whole, bulge, EquilibriumTerms{.name = "bulge"});
    const double height = o.disk_height / l;
    DiskKinematics kinematics(ExponentialDiskField(height), height,
                              SphericalPotential(radii, spheres), o.toomre_q);
    return {o.particles - disk_particles - bulge_particles,
            disk_particles,
            bulge_particles,
            o.bulge_mass / m,
            o.halo_mass / m,
            height,
            std::move(whole),
            std::move(halo_sphere),
            std::move(bulge_sphere),
            std::move(kinematics)};
}

/// Draws position and velocity of a disk particle. The max speed is 0.95 of the escape speed
/// (Hernquist 1993).
EquilibriumSphere::Draw draw_disk_particle(const Galaxy& galaxy, RandomStream& random)
{
    const Vec3<double> position = draw_disk_position(random, galaxy.height, disk_truncation);
    const double limit = 0.95 * 0.95 * 2 * galaxy.whole.psi(norm(position));
    Vec3<double> velocity;
    for (int trial = 0; trial < 100; ++trial) {
        velocity = galaxy.disk.draw(random, position);
        if (norm_squared(velocity) < limit)
            return {position, velocity};
    }
    return {position, std::sqrt(limit / norm_squared(velocity)) * velocity}; // too hot to be bound
}

} // namespace

Snapshot make_galaxy(const GalaxyOptions& options)
{
    check(options);
    const Galaxy galaxy = solve_structure(options);
    const double l = options.disk_scale, m = options.disk_mass, v = std::sqrt(m / l);
    const std::uint64_t first_disk = galaxy.halo_particles;
    const std::uint64_t first_bulge = first_disk + galaxy.disk_particles;

    Snapshot snapshot = equal_mass_snapshot(options.particles, 1, halo_type);
    snapshot.provenance = {{"model", "galaxy"}, {"seed", std::to_string(options.seed)}};
    Particles& particles = snapshot.particles;
    parallel_loop(particles.size(), 1024, [&](std::size_t i) {
        const ParticleType type = i < first_disk    ? halo_type
                                  : i < first_bulge ? disk_type
                                                    : bulge_type;
        RandomStream random(options.seed, type, i);
        const auto [position, velocity] = type == halo_type   ? galaxy.halo->draw(random)
                                          : type == disk_type ? draw_disk_particle(galaxy, random)
                                                              : galaxy.bulge->draw(random);
        particles.type[i] = type;
        particles.mass[i] = type == halo_type ? options.halo_mass / double(galaxy.halo_particles)
                            : type == disk_type
                                ? m / double(galaxy.disk_particles)
                                : options.bulge_mass / double(galaxy.bulge_particles);
        particles.position[i] = l * position;
        particles.velocity[i] = v * velocity;
    });
    move_to_barycenter(particles);
    return snapshot;
}

void scale_to_physical(Snapshot& snapshot, double kpc, double mass)
{
    require(kpc > 0 && std::isfinite(kpc), "length unit in kpc", kpc, "must be positive");
    require(mass > 0 && std::isfinite(mass), "mass unit in 1e10 Msun", mass, "must be positive");
    snapshot.units = Units::gadget(false);
    const double speed = std::sqrt(snapshot.units.gravitational_constant() * mass / kpc);
    Particles& particles = snapshot.particles;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        particles.mass[i] *= mass;
        particles.position[i] = kpc * particles.position[i];
        particles.velocity[i] = speed * particles.velocity[i];
    }
    snapshot.time *= kpc / speed;
}

} // namespace chamomile
