/// \file  Tables and files with the measurements of `chamomile accuracy`.
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

/// An AccuracySample holds a set of particles and the targets compared in it.
struct AccuracySample {
    std::string source; ///< name of the particle source
    std::size_t particles = 0;
    std::vector<std::uint64_t> index, id;
    std::vector<Vec3<double>> position;
    std::vector<double> radius; ///< from the center of mass
    std::string reference;      ///< how the reference was summed
};

/// An AccuracyRow holds one setting and its measurements.
struct AccuracyRow {
    std::size_t sample = 0; ///< index in Samples
    SolverOptions setting;  ///< in force
    std::string other;      ///< file of another code's forces, with their law; empty: the setting's
    std::string machine;    ///< Solver::device()
    TargetErrors errors;    ///< in sample order
    std::string softening;  ///< softening_jump_text()
    ForceErrors statistics;
    std::optional<double> momentum; ///< momentum_residue(), if all particles are targets
    std::uint64_t targets = 0;
    double particles = 0, cells = 0, far_cells = 0; ///< pairs per target
    double seconds = 0;                             ///< the median
    int evaluations = 1;

    /// Returns method_text(), or the file of the other code's forces.
    std::string method() const;
};

using Samples = std::vector<AccuracySample>;
using AccuracyRows = std::vector<AccuracyRow>;

/// Prints the columns that fit a screen. Values common to all rows are printed once, above the
/// table.
void print_accuracy(const Samples& samples, const AccuracyRows& rows);

/// Returns a table with a column for each quantity.
Table accuracy_table(const Samples& samples, const AccuracyRows& rows);

/// Returns the data groups described in docs/reference/formats.md, with the errors of every target.
std::vector<DataGroup> accuracy_data(const Samples& samples, const AccuracyRows& rows,
                                     const std::string& command);

} // namespace chamomile::app
