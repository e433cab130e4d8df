/// \file  Binaries of a star cluster.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/integrate/measures/kepler_orbit.hpp"

namespace chamomile {

/// Two particles bound to each other.
struct Binary {
    Index i, j; ///< i < j
    KeplerOrbit orbit;
    double energy;       ///< binding energy G m_i m_j / (2 a)
    double hardness = 0; ///< this energy in units of kT
};

/// Returns the binaries among `members`, ascending by i. A binary is a pair with negative energy,
/// each the most bound companion of the other among its six nearest neighbors with mass. kT is 2/3
/// of the mean kinetic energy of a star about the mean velocity; a binary counts as one star. G
/// must be positive, and pairs unsoftened.
std::vector<Binary> binaries(const Particles& particles, std::span<const Index> members, double G);

} // namespace chamomile
