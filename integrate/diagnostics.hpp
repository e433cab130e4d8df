/// \file  Energies, momenta and shape of a set of particles.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {

struct RankSubset;

/// The mass fractions of the Lagrangian radii.
inline constexpr std::array<double, 5> lagrangian_fractions{0.1, 0.25, 0.5, 0.75, 0.9};

/// Sums over all particles, in the units of the particles. Sums are exact: the order of particles
/// does not matter. If all particles are tracers, each counts as unit mass.
struct Diagnostics {
    double mass = 0;
    double kinetic = 0;          ///< with bulk motion
    double potential = 0;        ///< of the particles' gravity, each pair once
    double external = 0;         ///< of external potentials, and of a rotating frame
    double external_virial = 0;  ///< sum of m x.a by external potentials
    double internal_kinetic = 0; ///< relative to the center of mass
    Vec3<double> momentum;
    Vec3<double> angular_momentum; ///< about the origin
    Vec3<double> center_of_mass;
    std::array<double, 5> lagrangian_radii{}; ///< about the density center

    /// Returns the energy; in a rotating frame Jacobi's.
    double energy() const { return kinetic + potential + external; }
    /// Returns the energy of the particles' own gravity and of motions relative to the center of
    /// mass.
    double internal_energy() const { return internal_kinetic + potential; }
    /// Returns Q = -K/W with K about the center of mass; 1/2 in equilibrium, 0 without W. W
    /// includes the virial of external potentials.
    double virial_ratio() const
    {
        const double W = potential + external_virial;
        return W < 0 ? -internal_kinetic / W : 0;
    }
};

enum class LagrangianRadii { computed, left_out };

class ExternalField;

/// An external field at one time.
struct ExternalState {
    const ExternalField* field = nullptr; ///< null: none
    double time = 0;
};

/// True if no particle has a mass.
bool are_tracers(const Particles& particles);

/// Returns all diagnostics, optionally without Lagrangian radii, undefined in a periodic box.
/// `particles.potential` must be current, and must include the external field.
Diagnostics diagnose(const Particles& particles, LagrangianRadii which = LagrangianRadii::computed,
                     const ExternalState& external = {});

/// Local particles to measure. `rows` reads moving columns, `part` gives global numbers.
struct Measured {
    const Particles& particles; ///< fixed columns
    ParticleReader& rows;
    const RankSubset& part;
};

/// Collective: returns diagnostics of particles on all ranks.
Diagnostics diagnose(const Measured& all, LagrangianRadii which, const ExternalState& external);

/// Returns a center that follows the densest part: repeatedly the center of mass of the nearer half
/// of the particles about the previous center, until at most a hundred remain. Massless particles
/// do not count. Of more than 2^17 particles, each stretch of equal length contributes one, by a
/// fixed random choice.
Vec3<double> density_center(const Particles& particles);
Vec3<double> density_center(const Measured& all);

/// Returns the radii about `center` that enclose the given fractions (ascending) of the total mass;
/// zeros for an empty set.
std::vector<double> lagrangian_radii(const Particles& particles, const Vec3<double>& center,
                                     std::span<const double> fractions);
std::vector<double> lagrangian_radii(const Measured& all, const Vec3<double>& center,
                                     std::span<const double> fractions);

} // namespace chamomile
