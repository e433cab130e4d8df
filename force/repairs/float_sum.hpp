/// \file  Direct sums wholly in single precision, as the hardware of 2007 made them.
#pragma once

#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Returns the accelerations of all particles with Plummer softening eps, G = 1, each operation
/// rounded to float. The sources are summed in the order of the particles in bags of `bag`, one
/// float each, and the bags again in float: the FORCE-LOOP of the Chamomile scheme (Hamada & Iitaka
/// 2007). A bag that holds all is their plain sum.
std::vector<Vec3<double>> float_sum(const Particles& particles, double eps, std::size_t bag);

} // namespace chamomile
