/// \file  Barycenter and energies of a model, for normalization.
#pragma once

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Moves the particles so that center of mass and total momentum are zero to rounding.
void move_to_barycenter(Particles& particles);

/// Returns the sum of m v^2 / 2.
double kinetic_energy(const Particles& particles);

/// Returns -sum over pairs of m_i m_j / r_ij (G = 1, no softening), every pair in double: O(N^2),
/// about 1e9 pairs per second and core with AVX-512. The result is bitwise independent of the
/// number of threads.
double pair_energy(const Particles& particles);

/// Returns the potential energy as if each particle were a shell about the origin: -sum over pairs
/// of m_i m_j / max(r_i, r_j), O(N log N). For particles in independent random directions the
/// expectation equals pair_energy(). Their relative difference is about 3/N (measured).
double shell_energy(const Particles& particles);

} // namespace chamomile
