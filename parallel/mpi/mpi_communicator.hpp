/// \file  Ranks that are the processes of a communicator of MPI's.
#pragma once

#include <memory>

#include <mpi.h>

#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// Makes ranks of its processes, all of which call this. They use a copy of the communicator, which
/// is freed with them, so that no message of the caller's meets theirs. Throws Error(usage) before
/// MPI_Init() and after MPI_Finalize().
std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm communicator);

} // namespace chamomile
