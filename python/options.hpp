/// \file  Options as Python's keyword arguments.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/integrate/scheme.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// From the keywords of chamomile.Options; those that are None count as not given. Throws
/// Error(usage) naming an unknown one, a word that is none of those allowed, or what contradicts
/// another.
SolverOptions read_options(nb::dict keywords);

/// The same with those of chamomile.SimulationOptions; not settled yet.
KeyedScheme read_scheme(nb::dict keywords);

/// The keywords of chamomile.Options, of options in force.
nb::dict describe_options(const SolverOptions& options);

} // namespace chamomile::python
