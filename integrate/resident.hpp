/// \file  Simulations whose particles stay on a GPU (Nyland, Harris & Prins 2007).
#pragma once

#include <memory>

#include "chamomile/integrate/block_leapfrog.hpp"
#include "chamomile/integrate/integrator.hpp"

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

/// The leapfrog of Leapfrog, with its bits, of particles that stay on the GPU of `solver`, which
/// takes arrays there: kicks and drifts happen there too, and bring() copies. Where the device is
/// lost, so is what has happened since the last bring(). 150 bytes (with individual steps 220, in a
/// box 250) of the GPU's memory for each particle.
///
/// Keeps references. Throws Error(usage) for a solver that takes no such arrays, and as Leapfrog.
std::unique_ptr<Integrator> make_resident_tree(Solver& solver, const TimeStep& step,
                                               const Clock& clock = Clock::newtonian());

/// The same with individual steps.
std::unique_ptr<BlockLeapfrog> make_resident_blocks(Solver& solver, const BlockSteps& steps,
                                                    const Clock& clock = Clock::newtonian());

} // namespace chamomile
