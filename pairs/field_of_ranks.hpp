/// \file  The field of sources on several ranks of one process.
#pragma once

#include <memory>

#include "chamomile/force/field.hpp"

namespace chamomile {

/// Makes the field of options that ask for ranks of this process, such as one for each of several
/// GPUs. All of them sum accelerations and potentials at the sources, with the bits of one rank;
/// values that are not finite are named then. The first rank alone has the field at other points,
/// tidal tensors, jerks, neighbours, and sources on a device.
std::unique_ptr<FieldSolver> make_field_of_ranks(const SolverOptions& options);

} // namespace chamomile
