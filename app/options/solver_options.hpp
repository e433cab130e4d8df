/// \file  The options that decide a force, the same for run, force, accuracy and bench.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Which options of force_options() a command takes.
enum class ForceUse {
    evaluation, ///< those of one
    run         ///< those of a time loop too
};

/// Adds them, bound to `solver`.
void add_force_options(Options& options, SolverOptions& solver, ForceUse use);

/// --precision, --device and --instruction-set of whatever sums over pairs.
template <class Machine>
void add_machine_options(Options& options, Machine& machine)
{
    static const auto rows = machine_options<Machine>();
    for (const auto& row : rows)
        options.option(row, machine);
}

/// Throws Error(usage) with the line, if there is one, after the command's name.
void require(const Options& options, const Refusal& refusal);

/// Completes the options of a force (settle_method()). Throws Error(usage).
void settle_forces(const Options& options, SolverOptions& solver);

/// Throws Error(usage) for the first option of trees that is given, where there are direct sums.
void refuse_tree_options(const Options& options, const std::string& because);

/// G, the softening and the periodic box of the file, where the options do not give them; a file
/// that states no softening leaves that of `solver`. The snapshot is in the box that is used then
/// (settle_box), and what goes with it is settled (settle_boundary()). Returns whether a softening
/// length is known, from either.
bool take_from_file(SolverOptions& solver, Snapshot& snapshot, const Options& options);

/// Notes options that change no result on the device that there is, of one that may be absent.
void note_idle_on_device(const Options& options, const SolverOptions& solver, Snapshot& snapshot);

} // namespace chamomile::app
