/// \file  The densities of spheres: Plummer, Hernquist, NFW, Einasto, King, exponential.
#pragma once

#include "chamomile/initial/models/equilibrium_sphere.hpp"

namespace chamomile {

/// A SphereKind names a density profile, given below for unit scale.
enum class SphereKind {
    plummer,    ///< (1 + r^2)^(-5/2) (Plummer 1911)
    hernquist,  ///< 1 / (r (1 + r)^3) (Hernquist 1990)
    nfw,        ///< 1 / (r (1 + r)^2), truncated beyond r = c (Navarro, Frenk & White 1997)
    einasto,    ///< exp(-(2 / alpha) (r^alpha - 1)) (Einasto 1965; Navarro et al. 2004)
    king,       ///< KingModel
    exponential ///< K_0(r), with surface density exp(-R)
};

/// Returns the name, such as "nfw".
const char* name_of(SphereKind kind);

/// A SphereProfile is a density profile with its mass and scale.
struct SphereProfile {
    SphereKind kind = SphereKind::hernquist;
    double mass = 1;           ///< total; for NFW within the virial radius
    double scale = 1;          ///< a, r_s, r_-2, r_0 or R_d
    double concentration = 10; ///< NFW: radius of the edge, in scale radii
    double alpha = 0.17;       ///< Einasto
    double w0 = 6;             ///< King
};

/// Returns density and slope at `radii`. Beyond r = c, NFW has the exponential cutoff of
/// Kazantzidis, Magorrian & Moore (2004), eq. 2, with a decay length of c / 10, because a sharp
/// edge has no isotropic equilibrium.
DensityTable density_table(const SphereProfile& profile, const std::vector<double>& radii);

/// An Extent is the range of radii that contains nearly all mass and structure of a density.
struct Extent {
    double smallest, largest;
};
Extent extent_of(const SphereProfile& profile);

/// Returns table radii that cover all these profiles, 400 per factor of 10.
std::vector<double> table_radii(const std::vector<SphereProfile>& profiles);

/// The mass within a radius, and the radius of half of it.
struct MassWithin {
    double mass, half_mass_radius;
};
MassWithin mass_within(const SphereProfile& profile, double radius);

/// Returns the density times exp(-(r / taper)^2), scaled to total mass `mass` over the radii. The
/// mass is then finite within a few taper lengths, as in the haloes of Hernquist (1993).
DensityTable tapered(DensityTable table, const std::vector<double>& radii, double mass,
                     double taper);

} // namespace chamomile
