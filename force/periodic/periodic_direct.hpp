/// \file  Direct sums over all pairs in a periodic cube.
#pragma once

#include "chamomile/force/lists/list_solver.hpp"

namespace chamomile {

/// Makes the reference for periodic gravity, in double: the softened Newtonian force between
/// nearest images, and the smooth rest of the exact periodic sum (Ewald 1921) from Fourier modes.
/// Without softening, errors are below 1e-12 times the rms acceleration in a random set. With
/// softening, only nearest images are softened. Potentials have mean 0 over the cube. They include
/// a particle's images (+2.837297 G m / box), but not the particle itself. The sum costs O(N^2), on
/// the host. Options are resolved(), with a box.
std::unique_ptr<DirectSolver> make_periodic_direct_solver(const SolverOptions& resolved);

} // namespace chamomile
