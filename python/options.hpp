/// \file  SolverOptions as Python's keyword arguments.
#pragma once

#include <nanobind/nanobind.h>

#include "chamomile/force/solver.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// From the keywords of chamomile.Options. Throws Error(usage) naming an unknown one, a word that
/// is none of those allowed, or tolerance and theta at once.
SolverOptions read_options(nb::dict keywords);

/// The same keywords, of options in force.
nb::dict describe_options(const SolverOptions& options);

} // namespace chamomile::python
