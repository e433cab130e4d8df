/// \file  The mass function of halos as a table.
#pragma once

#include <string>

#include "chamomile/run/structures/halo_file.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

namespace chamomile {

/// Returns dn/dlnM of a periodic box in bins of equal width in log10 M, from the least to the
/// largest mass, with Poisson errors: by friends-of-friends mass, by that mass corrected for few
/// members as in Warren et al. (2006) and, where they were measured, by the mass within 200 mean
/// densities. `theory` may be null. Throws Error(usage) if the box is not periodic.
std::string mass_function_table(const Snapshot& snapshot, const HaloCatalogue& catalogue,
                                const Theory* theory, int bins_per_decade,
                                const std::string& title);

} // namespace chamomile
