/// \file  A disk galaxy in equilibrium: exponential disk, bulge and halo.
#pragma once

#include "chamomile/initial/models/sphere_profile.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Lengths and masses are in any units, G = 1. The defaults describe a galaxy like the Milky Way in
/// units of its disk: 1 = 5.6e10 Msun, 3.5 kpc, 262 km/s, 13.1 Myr (Hernquist 1993).
struct GalaxyOptions {
    std::uint64_t particles = 100000;
    std::uint64_t seed = 1;
    double disk_part = 0.4, bulge_part = 0.1; ///< fraction of particles; the rest is halo
    double disk_mass = 1, disk_scale = 1;     ///< M_d and R_d
    double disk_height = 0.2;                 ///< z_0 of sech^2(z / z_0)
    double toomre_q = 1.5;                    ///< minimum over the disk
    double bulge_mass = 1.0 / 3, bulge_scale = 0.2;
    double halo_mass = 5, halo_scale = 5;
    double halo_taper = 20; ///< halo density is multiplied by exp(-(r / taper)^2)
    SphereKind bulge_profile = SphereKind::hernquist, halo_profile = SphereKind::hernquist;
};

/// Returns a galaxy in the x-y plane, rotating counter-clockwise seen from +z, with its barycenter
/// at rest at the origin. Halo (type 1) and bulge (type 3) are spheres with a Gaussian taper (for
/// the bulge at 25 scale radii). Their isotropic velocities follow from Eddington's inversion in
/// the potential of all three components, with the disk averaged over spheres. The disk (type 2) is
/// cut at 10 R_d and has the velocities of DiskKinematics (Hernquist 1993; Springel & White 1999).
/// Ids start at 1, in the order halo, disk, bulge. Components without mass get no particles.
/// Particle masses are equal within a component. Throws Error(usage) for fewer than 100 particles,
/// values out of range, or a component without isotropic equilibrium.
Snapshot make_galaxy(const GalaxyOptions& options);

/// Sets the units to kpc, 1e10 Msun and km/s. The model's unit of length becomes `kpc` kpc, the
/// unit of mass `mass` 1e10 Msun. Velocities follow from G.
void scale_to_physical(Snapshot& snapshot, double kpc, double mass);

} // namespace chamomile
