/// \file  What the built-in laws must do on every device, written once: tests call these for each.
#pragma once

#include "tests/behaviours.hpp"

namespace chamomile::tests {

void check_laws_in_float(const Machine& machine);
void check_chain_molecules(const Machine& machine);
void check_laws_within_cutoff(const Machine& machine);
void check_sph_density(const Machine& machine);

} // namespace chamomile::tests
