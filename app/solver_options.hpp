/// \file  The options that decide a force, the same for run, force, accuracy and bench.
#pragma once

#include <map>
#include <string>

#include "app/options.hpp"
#include "force/solver.hpp"
#include "io/snapshot.hpp"

namespace chamomile::app {

/// Adds --solver, --theta, --order, --eps, --softening, --G, --group-size, --leaf-size,
/// --precision, --device and --instruction-set, bound to `solver`.
void add_solver_options(Options& options, SolverOptions& solver);

/// The same, but --theta and --order take lists: what `chamomile accuracy` and `bench` sweep over.
void add_swept_solver_options(Options& options, SolverOptions& solver, std::vector<double>& thetas,
                              std::vector<int>& orders);

/// Every combination of them with the other options, the opening angle changing fastest; the direct
/// sum, which has neither, once.
std::vector<SolverOptions> swept(SolverOptions solver, const std::vector<double>& thetas,
                                 const std::vector<int>& orders);

/// Opening angle and order for a table; "-" for the direct sum.
std::string theta_text(const SolverOptions& solver);
std::string order_text(const SolverOptions& solver);

/// G and the softening of the file, where the options do not give them; a file that states no
/// softening leaves that of `solver`. Returns whether a softening length is known, from either.
bool take_from_file(SolverOptions& solver, const Snapshot& snapshot, const Options& options);

/// The options in words, as provenance for a file: solver, theta, order, softening, ... Files state
/// G themselves.
std::map<std::string, std::string> describe(const SolverOptions& solver);

/// Such as "Plummer, eps = 0.01".
std::string describe(const Softening& softening);

} // namespace chamomile::app
