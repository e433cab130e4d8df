/// \file  The field of sources on several ranks in one process.
#pragma once

#include <memory>

#include "chamomile/force/field.hpp"

namespace chamomile {

/// Makes the field for options with ranks in this process, such as one per GPU. All ranks sum
/// accelerations and potentials at the sources, bitwise as one rank; non-finite values are reported
/// then, not in build(). Only the first rank computes the field at other points, tidal tensors,
/// jerks, neighbours, and anything for sources on a device.
std::unique_ptr<FieldSolver> make_field_of_ranks(const SolverOptions& options);

} // namespace chamomile
