/// \file  Ranks as MPI processes, on one machine or several.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// Rank and size that a launcher such as mpirun or srun sets in the environment.
struct LaunchedRank {
    int rank, size;
};

/// Returns the rank of a process launched among several; none if the process was started alone.
std::optional<LaunchedRank> launched_rank();

/// The communicator for all processes launched together.
class MpiRanks : public Communicator {
public:
    /// Ends all processes at once with exit status `status`, even if some never answer.
    [[noreturn]] virtual void abort(int status) = 0;
};

/// Starts MPI, which ends with the communicator. Throws Error(usage) in a build without MPI.
std::unique_ptr<MpiRanks> make_mpi_ranks();

/// Returns name and version of this build's MPI; empty in a build without MPI.
std::string mpi_library();

} // namespace chamomile
