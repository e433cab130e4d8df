/// \file  The tables of the papers that this program grew from, their figures beside ours.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "app/output_file.hpp"
#include "chamomile/pairs/pair_solver.hpp"

namespace chamomile::app {

enum class PaperTable {
    none,
    cunbody, ///< Hamada & Iitaka (2007), tables 2 and 3
    gems,    ///< Nyland, Harris & Prins (2007)
    brook,   ///< Elsen et al. (2006)
    targets, ///< no paper's: pairs per second over the number of targets
    field    ///< no paper's: what a kept field costs
};

/// Measures and prints one. `repeat`: counted evaluations, of which the median counts. Flop/s are
/// in the paper's own convention, which the table names. Throws Error(device).
int print_paper_table(PaperTable which, const SolverOptions& solver, int repeat, const Output& csv,
                      Verbosity verbosity);

} // namespace chamomile::app
