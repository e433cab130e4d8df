/// \file  The solver on each rank, for particles distributed over ranks.
#pragma once

#include <memory>
#include <string>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/lists/list_solver.hpp"

namespace chamomile {

/// Makes this rank's solver. This call and all calls of the solver are collective. `resolved` are
/// options that rank 0 has resolved. `devices` is cpu, or the GPUs of each machine, which its ranks
/// use in turn. Requests need a GlobalCounts. Sums are bitwise those of one rank with all
/// particles. Throws on all ranks: Error(device), or Error(usage) if ranks would share a GPU
/// without share_gpu.
std::unique_ptr<AdjustableSolver> make_rank_solver(const SolverOptions& resolved,
                                                   const std::string& devices, Communicator& ranks);

/// Like make_rank_solver(), for direct sums on the device that the options name.
std::unique_ptr<AdjustableSolver> make_rank_direct_solver(const SolverOptions& options,
                                                          Communicator& ranks);

/// SentOptions are the solver options that rank 0 broadcasts.
struct SentOptions {
    Softening softening = {};
    double gravitational_constant = 1;
    double box = 0;
    SolverKind solver = SolverKind::tree;
    PeriodicOptions periodic = {};
    ListOptions lists = {};
    std::optional<std::uint64_t> decorrelate = {};
    Precision precision = Precision::single_precision;
    bool share_gpu = false;
    double peer_timeout = 600;
    char instruction_set[16] = {};
    char devices[256] = {}; ///< cpu, or the GPUs of each machine (choose_gpus())

    static SentOptions of(const SolverOptions& resolved, const std::string& devices);
    SolverOptions options() const;
};

/// Throws Error(usage) if arrays are not on the host, Error(input) if an active index is not below
/// request.count.
void refuse_arrays(const Request& request);

} // namespace chamomile
