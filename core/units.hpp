/// \file  The units of a set of particles.
#pragma once

#include <string>

namespace chamomile {

/// The internal units in cgs. N-body units (G = 1, not physical) have all three equal to 1 and
/// `physical` false.
struct Units {
    double length_in_cm = 1, mass_in_g = 1, velocity_in_cm_per_s = 1;
    bool physical = false;
    bool per_hubble = false; ///< lengths and masses are per h, as in kpc/h and 1e10 Msun/h

    /// Returns G in these units; 1 for N-body units. Uses GADGET's value of 6.672e-8 cm^3 g^-1
    /// s^-2, so that kpc, 1e10 Msun and km/s give 43007.1 (Springel 2005).
    double gravitational_constant() const;

    /// Returns H0 for h = `hubble`, in velocity per length of these physical units. In kpc/h and
    /// km/s it is 0.1 for every h, because lengths are per h.
    double hubble_rate(double hubble) const;

    /// Returns the units in words, such as "kpc/h, 1e10 Msun/h, km/s" or "N-body units (G = 1)".
    std::string description() const;

    /// Returns the units that GADGET assumes: kpc (3.085678e21 cm), 1e10 Msun (1.989e43 g), km/s.
    static Units gadget(bool per_hubble);

    friend bool operator==(const Units&, const Units&) = default;
};

} // namespace chamomile
