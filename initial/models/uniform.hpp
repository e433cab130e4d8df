/// \file  Uniform sphere and cube at rest.
#pragma once

#include "chamomile/initial/models/model_size.hpp"

namespace chamomile {

struct UniformOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    ModelSize size = {};
};

/// Returns a cold uniform sphere of equal masses in its barycenter frame, without a size G = M = R
/// = 1. For large N, E = -3/5 and the sphere collapses at t = pi / (2 sqrt 2). Throws Error(usage)
/// for N = 0.
Snapshot make_cold_sphere(const UniformOptions& options);

/// Returns equal masses at rest in the cube from -1/2 to 1/2, without a size G = M = 1, and without
/// shift to the barycenter. Throws Error(usage) for N = 0.
Snapshot make_cube(const UniformOptions& options);

} // namespace chamomile
