/// \file  The tables of `chamomile bench`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure/solver_sweep.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"

namespace chamomile::app {

/// A BenchRow is one setting with its measurements.
struct BenchRow {
    std::string source; ///< of the particles
    std::size_t particles = 0;
    SolverOptions setting; ///< in force
    bool tuned = false;    ///< whether the sizes were measured
    int threads = 1;
    std::string machine;          ///< Solver::device()
    std::vector<double> seconds;  ///< of each repetition, ascending
    double processor_seconds = 0; ///< of all threads, the least of the repetitions
    ForceStatistics median;       ///< of the repetition with the median time
    std::string excess;           ///< excess_text() of the sample
    std::string softening;        ///< softening_jump_text()
    std::optional<Percentiles> errors;
    std::optional<double> ceiling; ///< pairs per second of the pair loop alone
};

/// Prints times, errors and pairs, and phases if requested. Values that all rows share are printed
/// once.
void print_tables(const std::vector<BenchRow>& rows, bool phases);

/// Returns a table with a column for each quantity.
Table everything_table(const std::vector<BenchRow>& rows, const std::string& version,
                       const std::string& date);

} // namespace chamomile::app
