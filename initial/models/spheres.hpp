/// \file  One or more concentric spheres or ellipsoids in equilibrium.
#pragma once

#include <optional>
#include <span>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/initial/models/population.hpp"
#include "chamomile/initial/models/sphere_profile.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// SphereOptions holds the options of one sphere. Empty ones get the default of the kind.
struct SphereOptions {
    SphereKind kind = SphereKind::hernquist;
    /// Of all particles. Unless given, the model without truncation has 1, for NFW within c.
    std::optional<double> mass = {};
    std::optional<double> scale = {}; ///< 1
    std::optional<double> half_mass_radius = {}, tidal_radius = {};
    std::optional<double> virial_mass = {}; ///< M200 in 1e10 Msun; implies physical units
    std::optional<double> concentration = {};
    std::optional<double> alpha = {}, w0 = {};
    std::optional<double> truncation = {}; ///< max radius, in scale radii
    std::optional<double> anisotropy_radius = {};
    std::optional<double> part = {}; ///< fraction of particles; empty: equal to the mass fraction
    int type = 1;
    StellarPopulation stars = {};
    bool physical = false; ///< kpc and 1e10 Msun: a value was given with a unit
};

/// Returns all kinds.
std::span<const SphereKind> sphere_kinds();

/// Returns the option table, used by the command line and Python.
const std::vector<OptionRow<SphereOptions>>& sphere_table();

/// Returns the option rows that apply to a kind, with its defaults.
std::vector<OptionRow<SphereOptions>> sphere_rows(SphereKind kind);

/// Returns the kind with this name. Throws Error(usage) that names `what` and the known kinds.
SphereKind sphere_kind(const std::string& what, const std::string& name);

/// Parses a text such as "king,w0=7,mass=2" or "king,mass=1e5Msun,r-half=5pc". Throws Error(usage)
/// in one line for an unknown kind, an unknown or repeated key, or a value out of range.
SphereOptions parse_sphere(const std::string& text);

/// SpheresOptions describes concentric spheres, each in equilibrium in the total field.
struct SpheresOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    std::vector<SphereOptions> spheres = {SphereOptions{}};
    double b_to_a = 1, c_to_a = 1; ///< axis ratios, along y and z
    bool physical = false;         ///< kpc, 1e10 Msun, km/s; false: G = 1
    double hubble = 0.6774;        ///< H0 in 100 km/s/Mpc, for M200
};

/// Returns the profile that the options describe, in the same units. Throws Error(usage) for
/// missing or contradictory values.
SphereProfile resolved(const SphereOptions& sphere, double hubble);

/// Returns the particles of all spheres, sphere by sphere, with the barycenter at rest. Each sphere
/// has the distribution function of its density in the total potential, isotropic or with an
/// anisotropy radius. Densities of infinite extent are cut at the truncation radius, but the field
/// inside is that of the infinite model. With axis ratios, positions are stretched at constant
/// volume, and velocities so that the tensor virial theorem holds (Roberts 1962; Binney & Tremaine
/// 2008, sec. 4.8.3). The ellipsoid is then near equilibrium, not in it. Throws Error(usage) in one
/// line for impossible options. A sphere with a mass function and units has the number of particles
/// that follows from its mass; the others share `particles`.
Snapshot make_spheres(const SpheresOptions& options);

/// Returns one isotropic sphere with the defaults of its kind, G = M = 1.
Snapshot make_sphere(SphereKind kind, std::uint64_t particles, std::uint64_t seed = 1);

} // namespace chamomile
