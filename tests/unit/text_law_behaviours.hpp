/// \file  Behaviours of text laws on any device.
#pragma once

#include <vector>

#include "chamomile/force/pairs/text/text_law.hpp"
#include "tests/unit/pair_behaviours.hpp"

namespace chamomile::tests {

/// Returns n rows of `width` values in -1 .. 1; with more than three, the last is in 0.5 .. 1.5.
std::vector<double> random_rows(std::size_t n, std::size_t width, unsigned seed);

/// Checks text laws against built-in laws, and a law with all functions against plain double.
void check_text_laws(const Machine& machine);

} // namespace chamomile::tests
