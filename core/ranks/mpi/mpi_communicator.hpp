/// \file  Ranks by an MPI communicator.
#pragma once

#include <memory>

#include <mpi.h>

#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// Makes ranks from the processes of `communicator`. Collective over them. Uses a copy of the
/// communicator, freed with the ranks, so that messages never mix with the caller's. Throws
/// Error(usage) before MPI_Init(), after MPI_Finalize(), for MPI_COMM_NULL and for an
/// intercommunicator.
std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm communicator);

} // namespace chamomile
