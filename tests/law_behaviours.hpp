/// \file  Behaviours of built-in laws common to all devices; test suites call them per device.
#pragma once

#include "tests/behaviours.hpp"

namespace chamomile::tests {

void check_laws_in_float(const Machine& machine);
void check_chain_molecules(const Machine& machine);
void check_laws_within_cutoff(const Machine& machine);
void check_sph_density(const Machine& machine);

inline constexpr Behaviour law_behaviours[] = {
    {"the built-in laws keep their digits in single precision", check_laws_in_float},
    {"bonded atoms of chain molecules do not see each other", check_chain_molecules},
    {"laws that end see 1e5 atoms within their cut-off", check_laws_within_cutoff, false},
    {"densities are those of a plain loop and of a lattice", check_sph_density},
};

} // namespace chamomile::tests
