/// \file  A small test sum on a GPU before a run uses it.
#pragma once

#include <string>

#include "chamomile/force/pairs/jerk_solver.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Sums 9000 particles by the method of `options` (solver, precision, orders, kind of softening) on
/// their device, and on the host in double. Returns the largest difference in units of the host's
/// rms value; 0 on the CPU. Throws Error(device) with host, device and UUID if the difference
/// exceeds the precision's limit or the device fails.
double check_device(const SolverOptions& options);

/// Like check_device(), for accelerations, jerks and potentials of Hermite's scheme.
double check_jerk_device(const SolverOptions& options);

/// Compares the sums of the test cloud by two solvers, as both checks do. `device` names the tested
/// solver in errors.
double require_same_sums(Solver& tested, Solver& trusted, const std::string& device);
double require_same_sums(JerkSolver& tested, JerkSolver& trusted, const std::string& device);

} // namespace chamomile
