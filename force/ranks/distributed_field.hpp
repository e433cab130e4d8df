/// \file  The field of sources distributed over ranks.
#pragma once

#include <memory>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/field.hpp"

namespace chamomile {

/// Makes the field of the sources of all ranks. All calls are collective; a rank may have no
/// sources or targets. The global order is by rank. Results are bitwise those of
/// make_field_solver() on one rank with all sources. The field has accelerations and potentials
/// only. Targets other than sources need a tree on CPUs; FieldTargets::self and softening must be
/// empty. Throws the same on all ranks, like DistributedSolver.
std::unique_ptr<FieldSolver> make_distributed_field(const SolverOptions& options,
                                                    Communicator& ranks);

/// Returns options as options_for() does, for the sources of all ranks. With a goal it gathers all
/// sources on rank 0 and runs trials on all ranks. A collective call; throws the same on all ranks.
SolverOptions options_for(const FieldSources& sources, const SolverOptions& options,
                          Communicator& ranks);

} // namespace chamomile
