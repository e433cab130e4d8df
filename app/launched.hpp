/// \file  The processes of the program that mpirun or srun launched together.
#pragma once

#include <string>
#include <vector>

#include "chamomile/parallel/communicator.hpp"

namespace chamomile::app {

/// Tells whether this process is one of several, and not the first, which alone reads, prints and
/// writes.
bool serves_others();

/// Serves the first process, which has these arguments too, until its end. Returns the exit status.
int serve_first(const std::vector<std::string>& arguments);

/// Tells whether this process is the first of several.
bool leads_others();

/// Meets the other processes, before anything else that the first one does. Throws Error(usage) in
/// a build without MPI, and where one of them is another program or has other arguments.
void lead_others(const std::vector<std::string>& arguments);

/// Returns the ranks that are the processes; null for a process that was launched alone.
Communicator* launched_ranks();

/// Ends the other processes when the first one ends with that status, which has been told.
void end_others(int status);

} // namespace chamomile::app
