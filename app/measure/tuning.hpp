/// \file  Tuning of the sizes of groups, clusters and leaves by measurement: `--tune`.
#pragma once

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// A Tuning is the result of a search for the fastest sizes.
struct Tuning {
    SolverOptions solver; ///< with the sizes of the fastest evaluation
    double seconds = 0;   ///< of it
    SolverOptions start;  ///< with the sizes that were tried first
    double start_seconds = 0;
    int evaluations = 0;

    /// Returns a text such as
    /// "groups of 256, clusters of 8, leaves of 16: 41 ms; of 128, 8 and 16: 45 ms; 24
    /// evaluations".
    std::string text() const;
};

/// Returns --tune.
OptionRow<bool> tune_row();

/// Throws Error(usage) for --tune with a direct sum, or with all sizes given.
void require_tunable(const Options& options, bool tune, bool direct);

/// Evaluates the particles with groups, clusters and leaves of half and twice the size, as long as
/// that saves more than 3 %, and returns the best. A size that `solver` gives is kept. The sizes
/// depend on the machine and the moment; results for given sizes do not.
Tuning tuned(const SolverOptions& solver, Particles& particles, Quantities quantities);

} // namespace chamomile::app
