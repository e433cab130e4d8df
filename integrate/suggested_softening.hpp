/// \file  A softening length from the distances of particles.
#pragma once

#include "chamomile/core/particle_reader.hpp"

namespace chamomile {

/// Returns 0.4 times the mean distance in dense regions. The mean distance is from the median
/// volume of eight neighbors among the denser half of the particles with mass, of a fixed sample.
/// Returns 0 for fewer than 10 particles, or if most of them coincide. Reads positions from `rows`.
double suggested_softening(const Particles& particles, ParticleReader& rows);

} // namespace chamomile
