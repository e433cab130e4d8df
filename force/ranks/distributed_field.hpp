/// \file  The field of sources that lie in the memory of several ranks.
#pragma once

#include <memory>

#include "chamomile/force/field.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// Makes the field of the sources of all ranks, each of which has its own, at sources and targets
/// of its own. All ranks make it and make its calls together, each with some of them or none; what
/// several have together is that of rank 0, then that of rank 1 and so on. Results have the bits of
/// make_field_solver() on one rank that has all of them. It has accelerations and potentials, with
/// a tree on processors also at targets, which name no source that they are. Throws the same on all
/// ranks, as DistributedSolver does.
std::unique_ptr<FieldSolver> make_distributed_field(const SolverOptions& options,
                                                    Communicator& ranks);

/// Returns the options of such a field as options_for() does, which tries them on all ranks for the
/// sources that all have. Rank 0 has all of these meanwhile. All ranks call it together; it throws
/// the same on all.
SolverOptions options_for(const FieldSources& sources, const SolverOptions& options,
                          Communicator& ranks);

} // namespace chamomile
