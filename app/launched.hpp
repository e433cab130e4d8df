/// \file  The processes of the program that mpirun or srun launched together.
#pragma once

#include "chamomile/parallel/communicator.hpp"

namespace chamomile::app {

/// Tells whether this process is one of several, and not the first, which alone reads, prints and
/// writes.
bool serves_others();

/// Serves the first process until its end. Returns the exit status.
int serve_first();

/// Tells whether this process is the first of several.
bool leads_others();

/// Returns the ranks that are the processes; null for a process that was launched alone. Throws
/// Error(usage) in a build without MPI.
Communicator* launched_ranks();

/// Ends the other processes when the first one ends with that status, which has been told.
void end_others(int status);

} // namespace chamomile::app
