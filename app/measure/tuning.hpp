/// \file  `--tune`: measures group, cluster and leaf sizes.
#pragma once

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// A Tuning is the result of a search for the fastest sizes.
struct Tuning {
    SolverOptions solver; ///< with the fastest sizes
    double seconds = 0;   ///< per evaluation with `solver`
    SolverOptions start;  ///< with the initial sizes
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

/// Evaluates the particles with half and twice the group, cluster and leaf size, while this saves
/// more than 3 %, and returns the best. Sizes given in `solver` stay fixed. The chosen sizes depend
/// on machine and moment; results for given sizes do not.
Tuning tuned(const SolverOptions& solver, Particles& particles, Quantities quantities);
/// Like tuned(), for a snapshot; ranks receive particles left in their file.
Tuning tuned(const SolverOptions& solver, Snapshot& snapshot, Quantities quantities);

} // namespace chamomile::app
