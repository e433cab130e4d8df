/// \file  The tables of `chamomile bench`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure/solver_sweep.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"

namespace chamomile::app {

/// A BenchRow holds one setting and its measurements.
struct BenchRow {
    std::string source; ///< name of the particle source
    std::size_t particles = 0;
    SolverOptions setting; ///< in force
    bool tuned = false;    ///< whether the sizes were measured
    int threads = 1;
    std::string machine;          ///< Solver::device()
    std::vector<double> seconds;  ///< per repetition, ascending
    double processor_seconds = 0; ///< summed over threads, minimum over repetitions
    ForceStatistics median;       ///< from the repetition with the median time
    std::string excess;           ///< excess_text() for the sample
    std::string softening;        ///< softening_jump_text()
    std::optional<Percentiles> errors;
    std::optional<double> ceiling; ///< pairs per second in the pair loop only
};

/// Prints times, errors and pairs, and phases if requested. Values common to all rows are printed
/// once.
void print_tables(const std::vector<BenchRow>& rows, bool phases);

/// Returns a table with a column for each quantity.
Table everything_table(const std::vector<BenchRow>& rows, const std::string& version,
                       const std::string& date);

} // namespace chamomile::app
