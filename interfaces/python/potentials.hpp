/// \file  External potentials from Python: texts, and functions of arrays.
#pragma once

#include <memory>
#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile::python {

namespace nb = nanobind;

struct ReadPotentials {
    std::shared_ptr<const ExternalField> field; ///< null: none
    std::string text;                           ///< as stored in checkpoints
};

/// Reads the argument `potentials`. Throws nb::type_error, Error(usage) and Error(input).
ReadPotentials read_potentials(nb::handle potentials, const UnitFrame& frame,
                               double gravitational_constant, PotentialFiles& files);

} // namespace chamomile::python
