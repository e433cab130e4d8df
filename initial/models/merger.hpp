/// \file  Two galaxies before an encounter.
#pragma once

#include "chamomile/initial/models/galaxy.hpp"

namespace chamomile {

/// A DiskOrientation is the orientation of a disk relative to the orbit (Toomre & Toomre 1972), in
/// degrees. `inclination`: between disk spin and orbital spin (0: prograde, 180: retrograde).
/// `argument`: of pericenter, from the ascending node of the orbit on the disk.
struct DiskOrientation {
    double inclination = 0, argument = 0;
};

/// MergerOptions describes two galaxies and their orbit.
struct MergerOptions {
    GalaxyOptions galaxy;  ///< galaxy 1; `particles` counts both galaxies
    double mass_ratio = 1; ///< of galaxy 2 to galaxy 1, > 0
    double eccentricity = 1;
    double pericenter = 2.5; ///< distance of the centers, in units of length
    double separation = 20;  ///< distance of the centers at t = 0, before pericenter
    DiskOrientation first{0, 0}, second{60, -30};
};

/// Returns two galaxies of make_galaxy() on a Kepler orbit of their total masses, in the barycenter
/// frame. The orbit lies in the x-y plane with angular momentum along +z. Galaxy 2 is at +x at
/// pericenter. Galaxy 2 is galaxy 1 with mass times q, lengths times sqrt(q), velocities times
/// q^(1/4) (equal surface densities) and different random numbers. Particle numbers are
/// proportional to mass. Ids of galaxy 1 come first. G = 1. Throws Error(usage) for values out of
/// range.
Snapshot make_merger(const MergerOptions& options);

} // namespace chamomile
