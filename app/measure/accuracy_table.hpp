/// \file  The measurements of `chamomile accuracy` for a setting, as tables and files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/data_file.hpp"
#include "chamomile/run/force_cost.hpp"

namespace chamomile::app {

/// An AccuracySample holds the particles of some rows, and those of them that are compared.
struct AccuracySample {
    std::string source; ///< of the particles
    std::size_t particles = 0;
    std::vector<std::uint64_t> index, id;
    std::vector<Vec3<double>> position;
    std::vector<double> radius; ///< from the centre of mass
    std::string reference;      ///< how the reference was summed
};

/// An AccuracyRow is one setting with its measurements.
struct AccuracyRow {
    std::size_t sample = 0; ///< its place among the samples
    SolverOptions setting;  ///< in force
    std::string machine;    ///< Solver::device()
    TargetErrors errors;    ///< in the order of the sample
    std::string softening;  ///< softening_jump_text()
    ForceErrors statistics;
    std::optional<double> momentum; ///< momentum_residue(), if all particles are targets
    std::uint64_t targets = 0;
    double particles = 0, cells = 0, far_cells = 0; ///< pairs per target
    double seconds = 0;                             ///< the median
    int evaluations = 1;
};

using Samples = std::vector<AccuracySample>;
using AccuracyRows = std::vector<AccuracyRow>;

/// Prints the columns that fit a screen; values that all rows share are printed once, in a line
/// above.
void print_accuracy(const Samples& samples, const AccuracyRows& rows);

/// Returns a table with a column for each quantity.
Table accuracy_table(const Samples& samples, const AccuracyRows& rows);

/// Returns the data as docs/reference/formats.md describes them, with the errors of every target.
std::vector<DataGroup> accuracy_data(const Samples& samples, const AccuracyRows& rows,
                                     const std::string& command);

} // namespace chamomile::app
