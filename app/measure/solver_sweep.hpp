/// \file  Lists of solver options for `accuracy` and `bench`, and their table columns.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/options/solver_options.hpp"

namespace chamomile::app {

/// A SolverSweep holds the values of list options, by option name. Each list has at least one
/// value, except accuracy: its errors replace tolerances and thetas.
struct SolverSweep {
    std::map<std::string, std::vector<std::string>> lists;
};

/// Adds the force options; options in `sweep` accept lists.
void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep);

/// Joins the numbers of several GPUs to one device, as gpu:0,2 in cpu,gpu:0,2. Copies from the
/// lists to `solver` what resolve_boundary() may refuse for a box: the maximum orders, double
/// precision if no sum is in float, and the direct solver if all sums are direct. In the last case,
/// tree options throw Error(usage).
void resolve_sweep(const Options& options, SolverSweep& sweep, SolverOptions& solver);

/// Returns every combination of softening length, device, instruction set, solver, precision,
/// order, local order, group size, leaf size, criterion, and tolerance or opening angle (fastest).
/// Without --eps, `solver` sets the softening. Without --criterion, --theta implies the geometric
/// criterion and --tolerance implies moments. With --accuracy, each error in its list replaces
/// criterion and tolerance, and only given options stay fixed. Omits combinations without effect:
/// instruction sets on a GPU; all but group size and precision for a direct sum. Calls
/// make_solver() for each setting, which throws Error.
std::vector<SolverOptions> swept(SolverOptions solver, const SolverSweep& sweep,
                                 const Options& options);

/// A SettingColumn is a table column for one setting, with "-" if the setting does not apply.
struct SettingColumn {
    const char* heading;
    std::string (*text)(const SolverOptions&);
};
std::span<const SettingColumn> setting_columns();

/// Appends words to those of a table's row.
inline void append(std::vector<std::string>& words, const std::vector<std::string>& more)
{
    words.insert(words.end(), more.begin(), more.end());
}

} // namespace chamomile::app
