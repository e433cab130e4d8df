/// \file  Spheres and ellipsoids in equilibrium, one or several about one centre.
#pragma once

#include <optional>
#include <span>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/io/models/sphere_profile.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// SphereOptions is what may be asked of one sphere; what is empty has the usual value of its kind.
struct SphereOptions {
    SphereKind kind = SphereKind::hernquist;
    std::optional<double> mass = {};  ///< 1; the whole, of NFW that within c
    std::optional<double> scale = {}; ///< 1
    std::optional<double> half_mass_radius = {}, tidal_radius = {};
    std::optional<double> virial_mass = {}; ///< M200 in 1e10 Msun: the units are then physical
    std::optional<double> concentration = {};
    std::optional<double> alpha = {}, w0 = {};
    std::optional<double> truncation = {}; ///< the largest radius in units of the scale
    std::optional<double> anisotropy_radius = {};
    std::optional<double> part = {}; ///< of the particles; its part of the mass
    int type = 1;
    bool physical = false; ///< a quantity was given with a unit, and all are in kpc, 1e10 Msun
};

/// Returns all kinds.
std::span<const SphereKind> sphere_kinds();

/// Returns the table of these options, which the command line and Python read.
const std::vector<OptionRow<SphereOptions>>& sphere_table();

/// Returns the rows that a kind has, with the values that are usual for it.
std::vector<OptionRow<SphereOptions>> sphere_rows(SphereKind kind);

/// Returns the kind of that name. Throws Error(usage) that names `what` and the known kinds.
SphereKind sphere_kind(const std::string& what, const std::string& name);

/// Reads a text such as "king,w0=7,mass=2" or "king,mass=1e5Msun,r-half=5pc". Throws Error(usage)
/// in one line for an unknown kind or key, a value out of range and a key that is given twice.
SphereOptions parse_sphere(const std::string& text);

/// SpheresOptions describe spheres about one centre, each in equilibrium in the field of all.
struct SpheresOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    std::vector<SphereOptions> spheres = {SphereOptions{}};
    double b_to_a = 1, c_to_a = 1; ///< axis ratios, along y and z
    bool physical = false;         ///< kpc, 1e10 Msun, km/s; else G = 1
    double hubble = 0.6774;        ///< H0 in 100 km/s/Mpc, for M200
};

/// Returns the profile that is asked for, in the units of the options. Throws Error(usage) for
/// values that contradict each other or are missing.
SphereProfile resolved(const SphereOptions& sphere, double hubble);

/// Returns the particles of all spheres, one after another, at rest about their barycentre. Each
/// sphere has the distribution function of its density, isotropic or with its anisotropy radius, in
/// the potential of all; densities of infinite extent are cut at their truncation, within which the
/// field is that of the infinite model. With axis ratios the positions are stretched along the
/// axes at constant volume, and the velocities so that the tensor virial theorem holds (Roberts
/// 1962; Binney & Tremaine 2008, sec. 4.8.3): the ellipsoid is near equilibrium, not in it. Throws
/// Error(usage) in one line for what cannot be.
Snapshot make_spheres(const SpheresOptions& options);

/// Returns one isotropic sphere with the usual values of its kind, G = M = 1.
Snapshot make_sphere(SphereKind kind, std::uint64_t particles, std::uint64_t seed = 1);

} // namespace chamomile
