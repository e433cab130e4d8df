/// \file  The tables of the papers on which Chamomile is based, beside its own figures.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

/// Each measures and prints one table, and returns the exit status. Flop/s are in the paper's own
/// convention, which the table names. Throws Error(usage), Error(device).
int cunbody(const std::vector<std::string>& arguments); ///< Hamada & Iitaka (2007), tables 2 and 3
int gems(const std::vector<std::string>& arguments);    ///< Nyland, Harris & Prins (2007)
int brook(const std::vector<std::string>& arguments);   ///< Elsen et al. (2006)
int targets(const std::vector<std::string>& arguments); ///< pairs per second over the targets
int field(const std::vector<std::string>& arguments);   ///< the cost of a kept field

/// Prints the largest |da|/|a| over all particles of a Plummer sphere: from Table 2 of Hamada &
/// Iitaka (2007), for its two sums done here in float, and for the direct solver. Coordinates are
/// rounded to float before anything is summed.
int chamomile_table(const std::vector<std::string>& arguments);

} // namespace chamomile::app
