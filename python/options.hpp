/// \file  SolverOptions as Python's keyword arguments.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/force/solver.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// From the keywords of chamomile.Options; those that are None count as not given. Throws
/// Error(usage) naming an unknown one, a word that is none of those allowed, or what contradicts
/// another.
SolverOptions read_options(nb::dict keywords);

bool is_given(nb::dict keywords, const char* key);

/// Throws Error(usage) for the first keyword that means something to trees alone; `why` ends the
/// line, such as "hermite sums directly".
void refuse_tree_options(nb::dict keywords, const std::string& why);

/// The same keywords, of options in force.
nb::dict describe_options(const SolverOptions& options);

} // namespace chamomile::python
