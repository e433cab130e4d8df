/// \file  Whole simulations on a GPU (Nyland, Harris & Prins 2007): particles stay there.
#pragma once

#include <memory>

#include "integrate/integrator.hpp"

namespace chamomile {

/// The leapfrog with fixed steps and direct sums, of which all happens on the GPU: state and
/// accelerations stay there, and steps are queued ahead; bring() copies the state to the particles.
/// Plummer softening. The bits are the same each time, but not those of Leapfrog. An acceleration
/// that is not finite is reported by the next bring(), with the step in which it arose.
///
/// Throws Error(usage) for a tree, adaptive steps or a spline, Error(device) if `solver.device`
/// means no GPU.
std::unique_ptr<Integrator> make_resident_leapfrog(const SolverOptions& solver,
                                                   const TimeStep& step);

} // namespace chamomile
