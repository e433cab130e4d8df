/// \file  Ranks that are processes, on one machine or on several, by MPI.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// A LaunchedRank tells what a launcher such as mpirun or srun says of this process in its
/// environment.
struct LaunchedRank {
    int rank, size;
};

/// Returns that of a process that was launched as one of several; none of one that was started
/// alone.
std::optional<LaunchedRank> launched_rank();

/// An MpiRanks is the communicator of all processes that were launched together.
class MpiRanks : public Communicator {
public:
    /// Ends all processes at once with that exit status, where some may never answer.
    [[noreturn]] virtual void abort(int status) = 0;
};

/// Starts MPI, which ends with the communicator. Throws Error(usage) in a build without MPI.
std::unique_ptr<MpiRanks> make_mpi_ranks();

/// Returns name and version of the MPI of this build; nothing of a build without.
std::string mpi_library();

} // namespace chamomile
