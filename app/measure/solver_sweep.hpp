/// \file  Lists of solver options, as `accuracy` and `bench` take them, and how tables name them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/options/solver_options.hpp"

namespace chamomile::app {

/// Texts of the options that take lists, by name: at least one of each but of accuracy, whose
/// errors take the place of tolerances and thetas.
struct SolverSweep {
    std::map<std::string, std::vector<std::string>> lists;
};

/// The options of a force, of which those of `sweep` take lists.
void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep);

/// What of the lists a box may refuse (settle_boundary()), into `solver`: the highest orders,
/// double where no sum is in float, and direct sums where all are, for which an option of trees
/// throws Error(usage).
void settle_sweep(const Options& options, const SolverSweep& sweep, SolverOptions& solver);

/// Every combination, by softening length, device, instruction set, solver, precision, order, local
/// order, group size, leaf size, criterion and tolerance or opening angle, the last changing
/// fastest. Without --eps the softening is that of `solver`. Without --criterion --theta stands for
/// the geometric one and --tolerance for moments. With --accuracy each error of its list
/// takes the place of both, and only what the options give is fixed. What makes no difference is
/// left out: instruction sets on a GPU, all but group size and precision for a direct sum. Each is
/// tried with make_solver(), which throws Error.
std::vector<SolverOptions> swept(SolverOptions solver, const SolverSweep& sweep,
                                 const Options& options);

/// What a table tells of a setting: "-" where it does not apply.
struct SettingColumn {
    const char* heading;
    std::string (*text)(const SolverOptions&);
};
std::span<const SettingColumn> setting_columns();

} // namespace chamomile::app
