/// \file  Lists of solver options for `accuracy` and `bench`, and their columns in tables.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/options/solver_options.hpp"

namespace chamomile::app {

/// A SolverSweep holds the texts of the options that take lists, by name. Each has at least one,
/// except accuracy, whose errors replace tolerances and thetas.
struct SolverSweep {
    std::map<std::string, std::vector<std::string>> lists;
};

/// Adds the options of a force; those of `sweep` take lists.
void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep);

/// Joins the numbers of several GPUs to one device, as gpu:0,2 in cpu,gpu:0,2, and sets in
/// `solver` what a box may refuse (resolve_boundary()) of the lists: the highest orders, double
/// where no sum is in float, and direct sums where all are direct. Throws Error(usage) for an
/// option of trees in the last case.
void resolve_sweep(const Options& options, SolverSweep& sweep, SolverOptions& solver);

/// Returns every combination, by softening length, device, instruction set, solver, precision,
/// order, local order, group size, leaf size, criterion and tolerance or opening angle, the last
/// changing fastest. Without --eps the softening is that of `solver`. Without --criterion, --theta
/// implies the geometric one and --tolerance moments. With --accuracy each error of its list
/// replaces both, and only given options are fixed. Combinations that make no difference are left
/// out: instruction sets on a GPU, all but group size and precision for a direct sum. Each setting
/// is tried with make_solver(), which throws Error.
std::vector<SolverOptions> swept(SolverOptions solver, const SolverSweep& sweep,
                                 const Options& options);

/// A SettingColumn is the column of a setting in a table, with "-" where it does not apply.
struct SettingColumn {
    const char* heading;
    std::string (*text)(const SolverOptions&);
};
std::span<const SettingColumn> setting_columns();

} // namespace chamomile::app
