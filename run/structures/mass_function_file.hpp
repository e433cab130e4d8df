/// \file  The mass function of halos as a table.
#pragma once

#include <string>

#include "chamomile/run/structures/halo_file.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

namespace chamomile {

/// Returns dn/dlnM of a periodic box in equal bins of log10 M between min and max mass, with
/// Poisson errors. Masses are: friends-of-friends, friends-of-friends corrected for few members
/// (Warren et al. 2006) and, if measured, mass within 200 mean densities. `theory` may be null.
/// Throws Error(usage) if the box is not periodic.
std::string mass_function_table(const Snapshot& snapshot, const HaloCatalogue& catalogue,
                                const Theory* theory, int bins_per_decade,
                                const std::string& title);

} // namespace chamomile
