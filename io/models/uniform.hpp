/// \file  Uniform densities at rest: a sphere and a cube.
#pragma once

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// UniformOptions choose the number of particles and the random numbers.
struct UniformOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
};

/// Returns a cold uniform sphere of equal masses: G = M = R = 1, at rest, about its barycentre. In
/// the limit of many particles E = -3/5 and it collapses at t = pi / (2 sqrt 2). Throws
/// Error(usage) for N = 0.
Snapshot make_cold_sphere(const UniformOptions& options);

/// Returns equal masses at rest in the cube from -1/2 to 1/2, G = M = 1, not moved to the
/// barycentre. Throws Error(usage) for N = 0.
Snapshot make_cube(const UniformOptions& options);

} // namespace chamomile
