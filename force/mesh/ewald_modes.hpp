/// \file  The long range without a mesh: Ewald's sum over Fourier modes.
#pragma once

#include <memory>
#include <string>

#include "chamomile/force/mesh/long_range.hpp"

namespace chamomile {

class Communicator;

/// Returns a long range that sums the structure factors of all particles, then the field, mode by
/// mode in double. Omits waves with exp(-k^2 r_s^2) below `tolerance`; docs/explanation/periodic.md
/// has the errors. It takes about (side / r_s)^3 ln(1 / tolerance)^(3/2) / 118 modes per particle.
/// The bits are the same for any number of threads. Throws Error(usage) unless 0 < r_s <= side / 4,
/// 0 < tolerance < 1 and at most 128 waves lie along the side. With `ranks`, each has a part of the
/// sources: prepare() is then collective, and adds the ranks' sums in their order.
std::unique_ptr<LongRange> make_ewald_modes(Periodicity box, double split_radius,
                                            double tolerance = 1e-7,
                                            const std::string& instruction_set = "auto",
                                            Communicator* ranks = nullptr);

} // namespace chamomile
