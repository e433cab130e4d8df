/// \file  What `chamomile accuracy` measures of a setting, and how it is told and written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/text/table.hpp"
#include "chamomile/force/force_errors.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/data_file.hpp"
#include "chamomile/run/force_cost.hpp"

namespace chamomile::app {

/// The particles of some rows, and those of them that are compared.
struct AccuracySample {
    std::string source; ///< of the particles
    std::size_t particles = 0;
    std::vector<std::uint64_t> index, id;
    std::vector<Vec3<double>> position;
    std::vector<double> radius; ///< from the centre of mass
    std::string reference;      ///< what summed it
};

/// One setting, measured.
struct AccuracyRow {
    std::size_t sample = 0; ///< its place among the samples
    SolverOptions setting;  ///< in force
    std::string machine;    ///< Solver::device()
    TargetErrors errors;    ///< in the order of the sample
    ForceErrors statistics;
    std::optional<double> momentum; ///< momentum_residue(), if all particles are targets
    std::uint64_t targets = 0;
    double particles = 0, cells = 0, far_cells = 0; ///< pairs per target
    double seconds = 0;                             ///< the median
    int evaluations = 1;
};

using Samples = std::vector<AccuracySample>;
using AccuracyRows = std::vector<AccuracyRow>;

/// What fits a screen; what is the same in all rows is told once, in a line above.
void print_accuracy(const Samples& samples, const AccuracyRows& rows);

/// One column for everything.
Table accuracy_table(const Samples& samples, const AccuracyRows& rows);

/// As docs/formats.md describes it, with the errors of every target.
std::vector<DataGroup> accuracy_data(const Samples& samples, const AccuracyRows& rows,
                                     const std::string& command);

} // namespace chamomile::app
