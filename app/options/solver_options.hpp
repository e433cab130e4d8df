/// \file  The options that decide a force, the same for run, force, accuracy and bench.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/pairs/pair_solver.hpp"
#include "chamomile/run/method_text.hpp"

namespace chamomile::app {

inline constexpr Range theta_range = above(0, 1.5), tolerance_range = above(0, 1);
inline constexpr Range size_range = between(0, 1 << 20);
extern const char *const solver_help,
    *const softening_length_help, *const precision_help,
                                      *const criterion_help,
                                          *const tolerance_help,
                                              *const theta_help,
                                                  *const order_help,
                                                      *const local_order_help,
                                                          *const group_size_help,
                                                              *const leaf_size_help,
                                                                  *const device_help,
                                                                      *const instruction_set_help;
extern const std::vector<std::string> instruction_set_words;

/// Opens the group of the forces with --solver, --eps, --softening, --G and --precision, bound to
/// `solver`.
void add_law_options(Options& options, SolverOptions& solver);

/// The same and --criterion, --tolerance, --theta, --order, --local-order, --group-size,
/// --leaf-size, --device and --instruction-set.
void add_solver_options(Options& options, SolverOptions& solver);

/// --precision, --device and --instruction-set of sums over pairs.
void add_pair_machine(Options& options, PairOptions& pairs);

/// The criterion that the options mean: --theta alone means geometric. Throws Error(usage) if
/// --tolerance or --theta are given together or to a criterion that does not take them, and for any
/// option of trees beside a direct sum.
void settle_criterion(const Options& options, SolverOptions& solver);

/// Throws Error(usage) for the first option of trees that is given, where there are direct sums.
void refuse_tree_options(const Options& options, const std::string& because);

/// The criteria by name, such as "relative".
std::vector<std::string> criterion_names();
Criterion criterion_named(const std::string& name); ///< a name of the list

/// Solvers and precisions by name, such as "tree" and "float".
std::vector<std::string> solver_names();
SolverKind solver_named(const std::string& name); ///< a name of the list
std::vector<std::string> precision_names();
Precision precision_named(const std::string& name); ///< a name of the list

/// G, the softening and the periodic box of the file, where the options do not give them; a file
/// that states no softening leaves that of `solver`. The snapshot is in the box that is used then
/// (settle_box). Returns whether a softening length is known, from either.
bool take_from_file(SolverOptions& solver, Snapshot& snapshot, const Options& options);

/// Notes options that change no result on the device that there is, of one that may be absent.
void note_idle_on_device(const Options& options, const SolverOptions& solver, Snapshot& snapshot);

} // namespace chamomile::app
