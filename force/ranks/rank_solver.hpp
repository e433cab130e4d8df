/// \file  The solver of each rank of several, which has particles of its own.
#pragma once

#include <memory>
#include <string>

#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// Makes this rank's solver, for options that are `resolved` on the first rank; all ranks make it
/// and make its calls together. Requests have a RequestPart. `devices` are cpu, or the GPUs of each
/// machine, of which each rank takes one. Sums have the bits of one rank that has all particles.
/// Throws the same on all ranks: Error(device), or Error(usage) if ranks would share a GPU that may
/// not.
std::unique_ptr<AdjustableSolver> make_rank_solver(const SolverOptions& resolved,
                                                   const std::string& devices, Communicator& ranks);

/// Makes that of direct sums, whose options name this rank's device.
std::unique_ptr<AdjustableSolver> make_rank_direct_solver(const SolverOptions& options,
                                                          Communicator& ranks);

/// SentOptions are options of a solver as rank 0 sends them to the others.
struct SentOptions {
    Softening softening = {};
    double gravitational_constant = 1;
    SolverKind solver = SolverKind::tree;
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

/// Throws Error(usage) for a request of particles that are not on the host, Error(input) for an
/// active particle that is none of them.
void refuse_arrays(const Request& request);

} // namespace chamomile
