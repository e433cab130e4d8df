/// \file  Tables of the papers behind Chamomile, with its own measurements.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

/// Each function measures and prints one table, and returns the exit status. Flop/s follow the
/// paper's convention, as named in the table. Throws Error(usage), Error(device).
int cunbody(const std::vector<std::string>& arguments); ///< Hamada & Iitaka (2007), tables 2 and 3
int gems(const std::vector<std::string>& arguments);    ///< Nyland, Harris & Prins (2007)
int brook(const std::vector<std::string>& arguments);   ///< Elsen et al. (2006)
int targets(const std::vector<std::string>& arguments); ///< pairs per second by number of targets
int field(const std::vector<std::string>& arguments);   ///< costs of a persistent field

/// Prints the largest |da|/|a| over all particles of a Plummer sphere: published (Table 2 of Hamada
/// & Iitaka 2007), for the paper's two sums recomputed in float, and for the direct solver.
/// Coordinates are rounded to float before all sums.
int chamomile_table(const std::vector<std::string>& arguments);

} // namespace chamomile::app
