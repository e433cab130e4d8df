#include "chamomile/initial/models/spheres.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/core/text/spelling.hpp"
#include "chamomile/initial/models/galaxy.hpp"
#include "chamomile/initial/models/king_model.hpp"
#include "chamomile/initial/models/model.hpp"
#include "chamomile/initial/models/self_energy.hpp"

namespace chamomile {
namespace {

[[noreturn]] void refuse(const SphereOptions& sphere, const std::string& why)
{
    throw Error(Fault::usage, std::string(name_of(sphere.kind)) + ": " + why);
}

/// Checks options that a caller set directly, by the rules of the option table.
void check(const SphereOptions& sphere)
{
    for (const OptionRow<SphereOptions>& row : sphere_table())
        if (const std::string value = row.text(sphere); !value.empty()) {
            SphereOptions again;
            row.put(again, std::string(name_of(sphere.kind)) + ": " + row.name, value);
        }
}

/// Sets mass and scale, in kpc and 1e10 Msun, so that the mean density within c scale radii is 200
/// times the critical density.
void set_virial(SphereProfile& profile, double m200, double hubble)
{
    const double rate = Units::gadget(false).hubble_rate(hubble);
    const double G = Units::gadget(false).gravitational_constant();
    const double r200 = std::cbrt(G * m200 / (100 * rate * rate)), c = profile.concentration;
    profile.mass = m200;
    profile.scale = r200 / c;
    if (profile.kind == SphereKind::hernquist) // Springel, Di Matteo & Hernquist (2005), eq. 2
        profile.scale *= std::sqrt(2 * (std::log1p(c) - c / (1 + c)));
    if (profile.kind == SphereKind::einasto) {
        const std::vector<double> radii = table_radii({profile});
        const SphericalPotential field(radii,
                                       enclosed_mass(radii, density_table(profile, radii).density));
        profile.mass *= m200 / field.mass(r200);
    }
}

double truncation_of(const SphereOptions& sphere)
{
    if (sphere.kind == SphereKind::plummer)
        return sphere.truncation.value_or(22.8);
    if (sphere.kind == SphereKind::hernquist)
        return sphere.truncation.value_or(100);
    return std::numeric_limits<double>::infinity();
}

/// Returns the number of stars of a sphere that its mass gives, else 0. Names the sphere in errors
/// unless it is alone.
std::uint64_t counted_stars(const SphereOptions& sphere, bool physical, bool is_alone)
{
    if (is_alone)
        return number_of_stars(sphere.stars, physical, sphere.mass, 0);
    try {
        return number_of_stars(sphere.stars, physical, sphere.mass, 0);
    } catch (const Error& error) {
        throw Error(error.fault(),
                    std::string(name_of(sphere.kind)) + ": " + spelled(error.line()));
    }
}

/// Returns the number of systems of each sphere: what its stars' masses give, or a part of the
/// particles; the last of the spheres that share them gets the rest.
std::vector<std::uint64_t> shares(const SpheresOptions& options, bool physical,
                                  const std::vector<EquilibriumSphere>& spheres)
{
    std::vector<std::uint64_t> numbers;
    double given = 0, mass = 0;
    std::size_t sharing = 0, parts = 0, last = 0;
    for (std::size_t k = 0; k < spheres.size(); ++k) {
        const SphereOptions& sphere = options.spheres[k];
        numbers.push_back(
            systems_of(sphere.stars, counted_stars(sphere, physical, spheres.size() == 1)));
        if (counts_stars(sphere.stars, physical))
            continue;
        given += sphere.part.value_or(0);
        parts += sphere.part.has_value();
        mass += spheres[k].mass();
        last = k;
        ++sharing;
    }
    require(parts == 0 || parts == sharing, "spheres with a part", double(parts),
            "must be all or none");
    require(parts == 0 || std::abs(given - 1) < 1e-6, "sum of the parts", given, "must be 1");
    std::uint64_t left = options.particles;
    for (std::size_t k = 0; k < spheres.size(); ++k) {
        const SphereOptions& sphere = options.spheres[k];
        if (counts_stars(sphere.stars, physical))
            continue;
        const double part = parts == 0 ? spheres[k].mass() / mass : *sphere.part;
        const auto number =
            k == last
                ? left
                : std::min<std::uint64_t>(left, std::llround(part * double(options.particles)));
        require(number > 0, std::string(name_of(sphere.kind)) + ": particles", 0,
                "must be at least 1; increase the number of particles or this part");
        numbers[k] = systems_of(sphere.stars, number);
        left -= number;
    }
    return numbers;
}

/// Returns (3/2) int_0^infinity du / ((x + u) sqrt((x + u) (y + u) (z + u))) by the midpoint rule.
/// This is Carlson's R_D with x as the distinguished argument.
double carlson_rd(double x, double y, double z)
{
    const int n = 2000; // u = s^2 / (1 - s)^2: smooth at both ends
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double s = (i + 0.5) / n, u = s * s / ((1 - s) * (1 - s));
        const double measure = 2 * s / ((1 - s) * (1 - s) * (1 - s)) / n;
        sum += measure / ((x + u) * std::sqrt((x + u) * (y + u) * (z + u)));
    }
    return 1.5 * sum;
}

/// Stretches the axes at constant volume. By Roberts (1962) the potential energy tensor of similar
/// ellipsoids is W_ii = (W / 3) a_i^2 R_D(a_i^2; ...) for any density, where W is the energy of the
/// sphere. The velocities follow from 2 K_ii = -W_ii.
void stretch(Particles& particles, double b_to_a, double c_to_a)
{
    if (b_to_a == 1 && c_to_a == 1)
        return;
    const double a = 1 / std::cbrt(b_to_a * c_to_a), b = a * b_to_a, c = a * c_to_a;
    const double aa = a * a, bb = b * b, cc = c * c;
    const Vec3<double> speed = {a * std::sqrt(carlson_rd(aa, bb, cc)),
                                b * std::sqrt(carlson_rd(bb, cc, aa)),
                                c * std::sqrt(carlson_rd(cc, aa, bb))};
    for (Vec3<double>& x : particles.position)
        x = {a * x.x, b * x.y, c * x.z};
    for (Vec3<double>& v : particles.velocity)
        v = {speed.x * v.x, speed.y * v.y, speed.z * v.z};
}

} // namespace

SphereProfile resolved(const SphereOptions& sphere, double hubble)
{
    check(sphere);
    SphereProfile profile{.kind = sphere.kind,
                          .mass = sphere.mass.value_or(1),
                          .scale = sphere.scale.value_or(1),
                          .concentration = sphere.concentration.value_or(10),
                          .alpha = sphere.alpha.value_or(0.17),
                          .w0 = sphere.w0.value_or(6)};
    const int lengths = int(sphere.scale.has_value()) + int(sphere.half_mass_radius.has_value()) +
                        int(sphere.tidal_radius.has_value());
    if (sphere.virial_mass && (sphere.mass || lengths > 0))
        refuse(sphere, "m200: contradicts mass, scale, r-half and r-tidal");
    if (lengths > 1)
        refuse(sphere, "scale: contradicts r-half and r-tidal; give one length");
    if (sphere.concentration && !sphere.virial_mass && sphere.kind != SphereKind::nfw)
        refuse(sphere, "concentration: needs m200");
    if (sphere.virial_mass)
        set_virial(profile, *sphere.virial_mass, hubble);
    if (sphere.mass || sphere.half_mass_radius) {
        const MassWithin within = mass_within(profile, truncation_of(sphere) * profile.scale);
        profile.mass *= sphere.mass.value_or(within.mass) / within.mass;
        profile.scale *=
            sphere.half_mass_radius.value_or(within.half_mass_radius) / within.half_mass_radius;
    }
    if (sphere.tidal_radius)
        profile.scale = *sphere.tidal_radius / KingModel(profile.w0).tidal_radius();
    return profile;
}

Snapshot make_spheres(const SpheresOptions& options)
{
    require_particle_number(options.particles);
    require(!options.spheres.empty(), "number of spheres", 0, "must be at least 1");
    require(options.hubble > 0 && options.hubble <= 10, "hubble", options.hubble,
            "must be above 0 and at most 10");
    for (const auto& [name, ratio] : {std::pair{"b/a", options.b_to_a}, {"c/a", options.c_to_a}})
        require(ratio >= 0.1 && ratio <= 10, name, ratio, "must be from 0.1 to 10");

    std::vector<SphereProfile> profiles;
    bool physical = options.physical;
    for (const SphereOptions& sphere : options.spheres) {
        profiles.push_back(resolved(sphere, options.hubble));
        physical = physical || sphere.physical || sphere.virial_mass;
    }
    const std::vector<double> radii = table_radii(profiles);
    std::vector<DensityTable> tables;
    std::vector<double> inside(radii.size(), 0.0);
    for (const SphereProfile& profile : profiles) {
        tables.push_back(density_table(profile, radii));
        const std::vector<double> own = enclosed_mass(radii, tables.back().density);
        for (std::size_t k = 0; k < radii.size(); ++k)
            inside[k] += own[k];
    }
    const SphericalPotential potential(radii, inside);
    std::vector<EquilibriumSphere> spheres;
    for (std::size_t k = 0; k < profiles.size(); ++k) {
        const SphereOptions& sphere = options.spheres[k];
        spheres.emplace_back(
            potential, tables[k],
            EquilibriumTerms{.name = name_of(sphere.kind),
                             .anisotropy_radius = sphere.anisotropy_radius.value_or(
                                 std::numeric_limits<double>::infinity()),
                             .truncation = truncation_of(sphere) * profiles[k].scale});
    }

    const std::vector<std::uint64_t> numbers = shares(options, physical, spheres);
    Snapshot snapshot;
    Particles& particles = snapshot.particles;
    std::size_t first = 0;
    for (std::size_t k = 0; k < spheres.size(); ++k) {
        const SphereOptions& sphere = options.spheres[k];
        const auto type = std::uint8_t(sphere.type);
        const double mass = sphere.mass.value_or(spheres[k].mass());
        const auto drawn = [&](std::uint64_t n) {
            Snapshot one = equal_mass_snapshot(n, mass, type);
            parallel_loop(n, 1024, [&](std::size_t i) {
                RandomStream random(options.seed, type, first + i);
                const EquilibriumSphere::Draw draw = spheres[k].draw(random);
                one.particles.position[i] = draw.position;
                one.particles.velocity[i] = draw.velocity;
            });
            return one;
        };
        Snapshot one = populated(
            sphere.stars, numbers[k], options.seed, drawn,
            [&](double r) { return potential.psi(r); }, first);
        if (k == 0)
            snapshot = std::move(one);
        particles.resize(first + numbers[k]);
        for (std::size_t i = 0; k > 0 && i < numbers[k]; ++i) {
            particles.type[first + i] = type;
            particles.mass[first + i] = one.particles.mass[i];
            particles.position[first + i] = one.particles.position[i];
            particles.velocity[first + i] = one.particles.velocity[i];
        }
        first += numbers[k];
    }
    std::iota(particles.id.begin(), particles.id.end(), 1);
    stretch(particles, options.b_to_a, options.c_to_a);
    move_to_barycenter(particles);
    snapshot.provenance = {
        {"model", spheres.size() == 1 ? name_of(profiles.front().kind) : "spheres"},
        {"seed", std::to_string(options.seed)}};
    for (const SphereOptions& sphere : options.spheres)
        if (!sphere.stars.imf.empty())
            snapshot.provenance["imf"] = sphere.stars.imf;
    if (physical)
        scale_to_physical(snapshot, 1, 1);
    for (std::size_t k = spheres.size(); k-- > 0;) { // from the last: places of others stay
        first -= numbers[k];
        split_binaries(options.spheres[k].stars, options.seed, snapshot, first, numbers[k]);
    }
    return snapshot;
}

Snapshot make_sphere(SphereKind kind, std::uint64_t particles, std::uint64_t seed)
{
    return make_spheres(
        {.particles = particles, .seed = seed, .spheres = {SphereOptions{.kind = kind}}});
}

} // namespace chamomile
