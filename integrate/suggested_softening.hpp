/// \file  A softening length that suits particles, by their distances.
#pragma once

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Returns 0.4 of the mean distance where particles are dense, whatever galaxies or clusters they
/// are in: of the median volume of eight neighbours among the denser half of the particles with
/// mass. It is of a sample, the same for the same particles; 0 of fewer than 10, or where most
/// coincide.
double suggested_softening(const Particles& particles);

} // namespace chamomile
