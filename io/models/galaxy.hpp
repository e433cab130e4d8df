/// \file  A disk galaxy in equilibrium: exponential disk, bulge and halo.
#pragma once

#include "chamomile/io/models/sphere_profile.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// GalaxyOptions has lengths in any unit, masses in any unit, G = 1. The defaults are those of a
/// galaxy like the Milky Way in units of its disk: 1 = 5.6e10 Msun, 3.5 kpc, 262 km/s, 13.1 Myr
/// (Hernquist 1993).
struct GalaxyOptions {
    std::uint64_t particles = 100000;
    std::uint64_t seed = 1;
    double disk_part = 0.4, bulge_part = 0.1; ///< of the particles; the rest is the halo's
    double disk_mass = 1, disk_scale = 1;     ///< M_d and R_d
    double disk_height = 0.2;                 ///< z_0 of sech^2(z / z_0)
    double toomre_q = 1.5;                    ///< smallest over the disk
    double bulge_mass = 1.0 / 3, bulge_scale = 0.2;
    double halo_mass = 5, halo_scale = 5;
    double halo_taper = 20; ///< the halo's density falls as exp(-(r / taper)^2)
    SphereKind bulge_profile = SphereKind::hernquist, halo_profile = SphereKind::hernquist;
};

/// Returns a galaxy in the x-y plane, turning counter-clockwise seen from +z, at rest at its
/// barycentre. Halo (type 1) and bulge (type 3) are spheres of Hernquist or
/// another profile with a Gaussian taper (for the bulge at 25 scale radii). Their isotropic
/// velocities follow from Eddington's inversion in the potential of all three components, the disk
/// averaged over spheres. The disk (type 2), cut at 10 R_d, has the velocities of DiskKinematics
/// (Hernquist 1993; Springel & White 1999). Ids from 1: halo, disk, bulge. Components without mass
/// get no particles. Masses of particles are equal within a component. Throws Error(usage) for
/// fewer than 100 particles, parts or lengths or masses out of range, or if a component has no
/// isotropic equilibrium.
Snapshot make_galaxy(const GalaxyOptions& options);

/// Gives the snapshot units of kpc, 1e10 Msun and km/s: one unit of length becomes `kpc`, one of
/// mass `mass` (1e10 Msun), and velocities follow from G.
void scale_to_physical(Snapshot& snapshot, double kpc, double mass);

} // namespace chamomile
