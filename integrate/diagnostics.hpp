/// \file  Energies, momenta and shape of a set of particles.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "chamomile/core/particle_rows.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {

struct RankSubset;

/// The fractions of the mass whose radii are followed.
inline constexpr std::array<double, 5> lagrangian_fractions{0.1, 0.25, 0.5, 0.75, 0.9};

/// Diagnostics are sums over all particles, in the units of the particles, summed exactly:
/// the order of the particles does not matter. Tracers alone count as unit masses.
struct Diagnostics {
    double mass = 0;
    double kinetic = 0;          ///< bulk motion included
    double potential = 0;        ///< of the particles' own gravity, each pair once
    double external = 0;         ///< of external potentials, and of a rotating frame
    double external_virial = 0;  ///< sum of m x.a by external potentials
    double internal_kinetic = 0; ///< of the motion about the centre of mass
    Vec3<double> momentum;
    Vec3<double> angular_momentum; ///< about the origin
    Vec3<double> center_of_mass;
    std::array<double, 5> lagrangian_radii{}; ///< about the density centre

    /// Returns the energy; that of Jacobi in a rotating frame.
    double energy() const { return kinetic + potential + external; }
    /// Returns Q = -K/W with K about the centre of mass; 1/2 in equilibrium, 0 if there is no W. W
    /// has the virial of external potentials.
    double virial_ratio() const
    {
        const double W = potential + external_virial;
        return W < 0 ? -internal_kinetic / W : 0;
    }
};

enum class LagrangianRadii { computed, left_out };

class ExternalField;

/// An ExternalState is an external field at one time.
struct ExternalState {
    const ExternalField* field = nullptr; ///< null: none
    double time = 0;
};

/// Returns whether no particle has a mass.
bool are_tracers(const Particles& particles);

/// Returns all of the above, or all but the Lagrangian radii, which mean nothing in a periodic box;
/// `particles.potential` must belong to the positions, and has that of the external field in it.
Diagnostics diagnose(const Particles& particles, LagrangianRadii which = LagrangianRadii::computed,
                     const ExternalState& external = {});

/// Measured are local particles; `rows` give moving columns, `part` global numbers.
struct Measured {
    const Particles& particles; ///< fixed columns
    ParticleRows& rows;
    const RankSubset& part;
};

/// Collective: returns diagnostics of particles on all ranks.
Diagnostics diagnose(const Measured& all, LagrangianRadii which, const ExternalState& external);

/// Returns a centre that stays with the densest part: the centre of mass of the nearer half of the
/// particles about the previous centre, halved again until at most a hundred remain. Particles
/// without mass do not count. Among more than 2^17 particles one of each stretch of equal length
/// counts, at random, always the same.
Vec3<double> density_center(const Particles& particles);
Vec3<double> density_center(const Measured& all);

/// Returns the radii about `center` that hold the given fractions (ascending, of the total mass);
/// empty sets give zeros.
std::vector<double> lagrangian_radii(const Particles& particles, const Vec3<double>& center,
                                     std::span<const double> fractions);
std::vector<double> lagrangian_radii(const Measured& all, const Vec3<double>& center,
                                     std::span<const double> fractions);

} // namespace chamomile
