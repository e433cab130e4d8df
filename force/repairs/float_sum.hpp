/// \file  Direct sums entirely in single precision, as on hardware in 2007.
#pragma once

#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Returns the acceleration of every particle with Plummer softening eps, G = 1, each operation
/// rounded to float. Sources are summed in particle order in bags of `bag`, one float each, and
/// bags again in float: the FORCE-LOOP of the Chamomile scheme (Hamada & Iitaka 2007). A bag that
/// holds all particles gives the plain sum.
std::vector<Vec3<double>> float_sum(const Particles& particles, double eps, std::size_t bag);

} // namespace chamomile
