/// \file  The solvers for sums over pairs: on the host, and with CUDA (gpu/).
#pragma once

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/pairs/pair_solver.hpp"

namespace chamomile {

/// Returns a solver for the host.
std::unique_ptr<PairSolver> make_host_pair_solver(const LawCode& code, const void* law,
                                                  const PairOptions& options);

/// Returns a solver for a CUDA device. Throws Error(device) if the law was not compiled for GPUs.
std::unique_ptr<PairSolver> make_cuda_pair_solver(int device, const LawCode& code, const void* law,
                                                  const PairOptions& options);

/// Throws Error(input) naming the first row that PairSolver::sum() refuses.
void check_rows(const LawCode& code, const PairTask& task, std::span<const double> sums);

} // namespace chamomile
