/// \file  A small known sum on a GPU before a run trusts it.
#pragma once

#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/pairs/jerk_solver.hpp"

namespace chamomile {

/// Sums 9000 particles by the method of `options` (solver, precision, orders, kind of softening) on
/// their device and on the host in double. Returns the largest difference, in units of the rms
/// value on the host; 0 on the CPU. Throws Error(device) with host, device and UUID where it is
/// above the limit of the precision or the device fails.
double check_device(const SolverOptions& options);

/// Checks the accelerations, jerks and potentials of Hermite's scheme in the same way.
double check_jerk_device(const SolverOptions& options);

/// Both checks demand this: the same sums of the cloud by two solvers. `device` names the first in
/// the line.
double require_same_sums(Solver& tested, Solver& trusted, const std::string& device);
double require_same_sums(JerkSolver& tested, JerkSolver& trusted, const std::string& device);

} // namespace chamomile
