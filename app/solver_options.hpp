/// \file  The options that decide a force, the same for run, force, accuracy and bench.
#pragma once

#include <map>
#include <string>

#include "app/options.hpp"
#include "force/solver.hpp"
#include "io/snapshot.hpp"

namespace chamomile::app {

/// Adds --solver, --tolerance, --theta, --order, --local-order, --eps, --softening, --G, --group-size, --leaf-size,
/// --precision, --device and --instruction-set, bound to `solver`.
void add_solver_options(Options& options, SolverOptions& solver);

/// Throws Error(usage) if both --tolerance and --theta are given.
void require_one_criterion(const Options& options);

/// What `chamomile accuracy` and `bench` sweep over.
struct SolverSweep {
    std::vector<double> tolerances = {SolverOptions().tolerance}, thetas;
    std::vector<int> orders = {SolverOptions().order};
};

/// The same, but --tolerance, --theta and --order take lists.
void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep);

/// Every combination of order with tolerance or opening angle, the last changing fastest; the direct
/// sum, which has neither, once. Opening angles alone if only they are given.
std::vector<SolverOptions> swept(SolverOptions solver, const SolverSweep& sweep,
                                 const Options& options);

/// Criterion and order for a table; "-" where there is none.
std::string tolerance_text(const SolverOptions& solver);
std::string theta_text(const SolverOptions& solver);
std::string order_text(const SolverOptions& solver);

/// G and the softening of the file, where the options do not give them; a file that states no
/// softening leaves that of `solver`. Returns whether a softening length is known, from either.
bool take_from_file(SolverOptions& solver, const Snapshot& snapshot, const Options& options);

/// Such as "tolerance 0.003".
std::string criterion_text(const SolverOptions& solver);

/// The options in words, as provenance for a file: solver, theta, order, softening, ... Files state
/// G themselves.
std::map<std::string, std::string> describe(const SolverOptions& solver);

/// Such as "Plummer, eps = 0.01".
std::string describe(const Softening& softening);

} // namespace chamomile::app
