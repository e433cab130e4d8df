/// \file  All pairs in a periodic cube.
#pragma once

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Makes the reference for periodic gravity: softened Newton's law of each pair's nearest images,
/// and the smooth rest of the exact periodic sum (Ewald 1921) from Fourier modes, in double.
/// Without softening errors are below 1e-12 of the root mean square of a random set's
/// accelerations; with it, a pair's other images are not softened. Potentials have mean 0 over the
/// cube and hold those of a particle's own images (+2.837297 G m / box), not its own. The sum costs
/// O(N^2), on the host. Options are resolved(), with a box.
std::unique_ptr<Solver> make_periodic_direct_solver(const SolverOptions& resolved);

} // namespace chamomile
