/// \file  The densities of spheres: Plummer, Hernquist, NFW, Einasto, King, exponential.
#pragma once

#include "chamomile/io/models/equilibrium_sphere.hpp"

namespace chamomile {

/// A SphereKind names a density; each is as of unit scale.
enum class SphereKind {
    plummer,    ///< (1 + r^2)^(-5/2) (Plummer 1911)
    hernquist,  ///< 1 / (r (1 + r)^3) (Hernquist 1990)
    nfw,        ///< 1 / (r (1 + r)^2), ended beyond r = c (Navarro, Frenk & White 1997)
    einasto,    ///< exp(-(2 / alpha) (r^alpha - 1)) (Einasto 1965; Navarro et al. 2004)
    king,       ///< KingModel
    exponential ///< K_0(r), whose surface density is exp(-R)
};

/// Returns the name, such as "nfw".
const char* name_of(SphereKind kind);

/// A SphereProfile is a density with its mass and length.
struct SphereProfile {
    SphereKind kind = SphereKind::hernquist;
    double mass = 1;           ///< the whole; of NFW that within the virial radius
    double scale = 1;          ///< a, r_s, r_-2, r_0 or R_d
    double concentration = 10; ///< of NFW: where its end begins, in scale radii
    double alpha = 0.17;       ///< of Einasto
    double w0 = 6;             ///< of King
};

/// Returns density and slope at these radii. NFW has beyond r = c the exponential end of
/// Kazantzidis, Magorrian & Moore (2004), eq. 2, with a decay length of c / 10: a sharp edge has no
/// isotropic equilibrium.
DensityTable density_table(const SphereProfile& profile, const std::vector<double>& radii);

/// An Extent is the range of radii in which nearly all of a density's mass and structure lie.
struct Extent {
    double smallest, largest;
};
Extent extent_of(const SphereProfile& profile);

/// Returns radii for tables of all these profiles, 400 in a factor of 10.
std::vector<double> table_radii(const std::vector<SphereProfile>& profiles);

/// Returns the radius that holds half of the whole mass.
double half_mass_radius(const SphereProfile& profile);

/// Returns the density times exp(-(r / taper)^2), scaled so that its mass over the radii is `mass`.
/// The taper makes the mass finite within a few times its length, as in the haloes of Hernquist
/// (1993).
DensityTable tapered(DensityTable table, const std::vector<double>& radii, double mass,
                     double taper);

} // namespace chamomile
