#include "chamomile/initial/models/merger.hpp"

#include <cmath>
#include <numbers>

#include "chamomile/core/random.hpp"
#include "chamomile/initial/models/kepler.hpp"
#include "chamomile/initial/models/model.hpp"
#include "chamomile/initial/models/self_energy.hpp"

namespace chamomile {
namespace {

Vec3<double> turned_about_x(const Vec3<double>& a, double angle)
{
    const double c = std::cos(angle), s = std::sin(angle);
    return {a.x, c * a.y - s * a.z, s * a.y + c * a.z};
}

Vec3<double> turned_about_z(const Vec3<double>& a, double angle)
{
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * a.x - s * a.y, s * a.x + c * a.y, a.z};
}

/// Tilts a galaxy about its line of nodes and moves it. The line of nodes lies `argument` before
/// the direction to the companion at pericenter. The tilt is by the negative inclination: the orbit
/// ascends through the disk at the node.
void place(Particles& galaxy, const DiskOrientation& orientation, double pericenter_direction,
           const RelativeOrbit& orbit)
{
    const double degree = std::numbers::pi / 180;
    const double node = pericenter_direction - orientation.argument * degree;
    const auto turned = [&](const Vec3<double>& a) {
        return turned_about_z(turned_about_x(a, -orientation.inclination * degree), node);
    };
    for (std::size_t i = 0; i < galaxy.size(); ++i) {
        galaxy.position[i] = turned(galaxy.position[i]) + orbit.position;
        galaxy.velocity[i] = turned(galaxy.velocity[i]) + orbit.velocity;
    }
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from)
{
    to.insert(to.end(), from.begin(), from.end());
}

} // namespace

Snapshot make_merger(const MergerOptions& options)
{
    const double q = options.mass_ratio;
    require(q > 0 && std::isfinite(q), "mass ratio", q, "must be positive");
    GalaxyOptions first = options.galaxy, second = options.galaxy;
    const double one = first.disk_mass + first.bulge_mass + first.halo_mass;
    const RelativeOrbit relative = orbit_before_pericenter(one * (1 + q), options.eccentricity,
                                                           options.pericenter, options.separation);

    second.particles = std::uint64_t(std::llround(double(first.particles) * q / (1 + q)));
    first.particles -= std::min(first.particles, second.particles);
    for (double* mass : {&second.disk_mass, &second.bulge_mass, &second.halo_mass})
        *mass *= q;
    for (double* length : {&second.disk_scale, &second.disk_height, &second.bulge_scale,
                           &second.halo_scale, &second.halo_taper})
        *length *= std::sqrt(q);
    // The seed of galaxy 2 is far from seeds that users choose.
    second.seed = RandomStream(options.galaxy.seed, 0, 0).word();

    Snapshot snapshot = make_galaxy(first);
    Snapshot other = make_galaxy(second);
    const double part = q / (1 + q);
    place(snapshot.particles, options.first, 0,
          {-part * relative.position, -part * relative.velocity});
    place(other.particles, options.second, std::numbers::pi,
          {(1 - part) * relative.position, (1 - part) * relative.velocity});

    Particles &all = snapshot.particles, &more = other.particles;
    for (std::uint64_t& id : more.id)
        id += all.size();
    append(all.id, more.id);
    append(all.type, more.type);
    append(all.mass, more.mass);
    append(all.position, more.position);
    append(all.velocity, more.velocity);
    append(all.acceleration, more.acceleration);
    append(all.potential, more.potential);
    move_to_barycenter(all);
    snapshot.provenance["model"] = "merger";
    return snapshot;
}

} // namespace chamomile
