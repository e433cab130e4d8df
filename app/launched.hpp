/// \file  Processes of the program started together by mpirun or srun.
#pragma once

#include <string>
#include <vector>

#include "chamomile/parallel/communicator.hpp"

namespace chamomile::app {

/// Returns true in a launched process with rank above 0. Only rank 0 reads, prints and writes.
bool serves_other_ranks();

/// Works for rank 0, with the same arguments, until rank 0 ends. Returns the exit status.
int serve_first(const std::vector<std::string>& arguments);

/// Returns true in rank 0 of several launched processes.
bool leads_others();

/// Connects to the other processes; call it first on rank 0. Throws Error(usage) in a build without
/// MPI, and if a process has another version or other arguments.
void lead_others(const std::vector<std::string>& arguments);

/// Returns the ranks of the launched processes; null without a launcher.
Communicator* launched_ranks();

/// Ends the other processes; rank 0 has reported `status` and ends with it.
void end_others(int status);

} // namespace chamomile::app
