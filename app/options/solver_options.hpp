/// \file  Force options common to run, force, accuracy and bench.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/integrate/clock.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Selects which options from force_options() a command takes.
enum class ForceUse {
    evaluation, ///< for one evaluation
    run         ///< for a time loop, too
};

/// Adds the force options, bound to `solver`.
void add_force_options(Options& options, SolverOptions& solver, ForceUse use);

/// Adds --precision, --device and --instruction-set for any solver that sums over pairs.
template <class Machine>
void add_machine_options(Options& options, Machine& machine)
{
    static const auto rows = machine_options<Machine>();
    for (const auto& row : rows)
        options.option(row, machine);
}

/// Throws Error(usage) with the refusal, if any, after the command name.
void require(const Options& options, const Refusal& refusal);

/// Resolves the force options (resolve_method()). Throws Error(usage).
void resolve_forces(const Options& options, SolverOptions& solver);

/// Throws Error(usage) for the first given tree option if sums are direct.
void refuse_tree_options(const Options& options, const std::string& because);

/// Sets G, softening and periodic box from the file unless options give them. Without a softening
/// in the file, keeps the softening in `solver`. Sets the snapshot's box to the box in use
/// (warn_of_box), and resolves dependent options (resolve_boundary()). Returns whether options or
/// file give a softening length. Throws for a softening that `clock` makes too long at `time` for
/// the short-range cut.
bool set_from_file(SolverOptions& solver, Snapshot& snapshot, const Options& options,
                   const Clock& clock = Clock::newtonian(), double time = 0);

/// Returns the best number of host threads for these forces, unless options set it. With a GPU at
/// most some tens, because more cores wait longer for each other than they save; 0: all cores.
int threads_for(const Options& options, const SolverOptions& solver);

/// Adds a note on given options without effect on the device in use.
void warn_of_idle_on_device(const Options& options, const SolverOptions& solver,
                            Snapshot& snapshot);

} // namespace chamomile::app
