/// \file  Two galaxies on their way to an encounter.
#pragma once

#include "chamomile/io/models/galaxy.hpp"

namespace chamomile {

/// A DiskOrientation states how a disk lies on the orbit (Toomre & Toomre 1972), in degrees:
/// `inclination` between its spin and that of the orbit (0: prograde, 180: retrograde), `argument`
/// of pericentre, from the ascending node of the orbit on the disk.
struct DiskOrientation {
    double inclination = 0, argument = 0;
};

/// MergerOptions describe two galaxies and their orbit.
struct MergerOptions {
    GalaxyOptions galaxy;  ///< galaxy 1; `particles` counts those of both
    double mass_ratio = 1; ///< of galaxy 2 to galaxy 1, > 0
    double eccentricity = 1;
    double pericentre = 2.5; ///< between the centres, in units of length
    double separation = 20;  ///< of the centres at t = 0, before pericentre
    DiskOrientation first{0, 0}, second{60, -30};
};

/// Returns two galaxies of make_galaxy about their common barycentre, on the Kepler orbit of their
/// total masses in the x-y plane. Its angular momentum is along +z, and galaxy 2 is on the side of
/// +x at pericentre. Galaxy 2 is galaxy 1 with mass times q, lengths times sqrt(q), velocities
/// times q^(1/4) (equal surface densities) and other random numbers; both have particles in
/// proportion to mass. Ids of galaxy 1 come first. G = 1. Throws Error(usage) for values out of
/// range.
Snapshot make_merger(const MergerOptions& options);

} // namespace chamomile
