/// \file  Behaviours of built-in laws common to all devices; test suites call them per device.
#pragma once

#include "tests/unit/behaviours.hpp"

namespace chamomile::tests {

void check_laws_in_float(const Machine& machine);
void check_chain_molecules(const Machine& machine);
void check_laws_within_cutoff(const Machine& machine);
void check_sph_density(const Machine& machine);

inline constexpr Behaviour law_behaviours[] = {
    {"built-in laws keep float accuracy in single precision", check_laws_in_float},
    {"exclusions remove forces between bonded atoms of chain molecules", check_chain_molecules},
    {"laws with a cut-off match pair sums for 1e5 atoms", check_laws_within_cutoff, false},
    {"SPH densities match a plain loop and the density of a lattice", check_sph_density},
};

} // namespace chamomile::tests
