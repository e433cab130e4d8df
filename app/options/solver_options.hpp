/// \file  The options of a force, the same for run, force, accuracy and bench.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/integrate/clock.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// A ForceUse tells which options of force_options() a command takes.
enum class ForceUse {
    evaluation, ///< those of one evaluation
    run         ///< those of a time loop too
};

/// Adds these options, bound to `solver`.
void add_force_options(Options& options, SolverOptions& solver, ForceUse use);

/// Adds --precision, --device and --instruction-set for any solver that sums over pairs.
template <class Machine>
void add_machine_options(Options& options, Machine& machine)
{
    options.add(machine_options<Machine>(), machine);
}

/// Throws Error(usage) with the refusal, if there is one, after the command's name.
void require(const Options& options, const Refusal& refusal);

/// Completes the options of a force (resolve_method()). Throws Error(usage).
void resolve_forces(const Options& options, SolverOptions& solver);

/// Throws Error(usage) for the first option of trees that is given although sums are direct.
void refuse_tree_options(const Options& options, const std::string& because);

/// Takes G, the softening and the periodic box from the file where the options do not give them;
/// without a softening in the file that of `solver` is kept. The snapshot's box is set to the one
/// in use (note_box), and dependent options are resolved (resolve_boundary()). Returns whether a
/// softening length is known from the options or the file. Refuses a softening that `clock` makes
/// too long at `time` for the cut of the short range.
bool take_from_file(SolverOptions& solver, Snapshot& snapshot, const Options& options,
                    const Clock& clock = Clock::newtonian(), double time = 0);

/// Returns how many host threads are best for this force where the options do not give them: with
/// a GPU no more than some tens, because so many cores wait longer for each other than they save;
/// 0: as many as there are.
int threads_for(const Options& options, const SolverOptions& solver);

/// Notes the given options that have no effect on the device in use.
void note_idle_on_device(const Options& options, const SolverOptions& solver, Snapshot& snapshot);

} // namespace chamomile::app
