/// \file  How forces are summed, in words: for people, and as provenance for files.
#pragma once

#include <map>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Such as "tolerance 0.001" or, by name unless it is the default, "geometric, theta 0.6".
std::string criterion_text(const SolverOptions& solver);

/// Such as "tree, tolerance 0.003, quadrupoles, local order 5" or "direct sum".
std::string method_text(const SolverOptions& solver);

/// Such as "mesh of 128^3, r_s of 1.25 cells, cut at 5 r_s".
std::string periodic_text(const PeriodicOptions& periodic);

/// Such as "mesh of 128^3, r_s 29.3 kpc, cut at 146 kpc" of options whose mesh is known; empty of
/// isolated systems and direct sums.
std::string long_range_text(const SolverOptions& settled, const Units& units);

/// Such as "37.5 kpc/h", to six digits.
std::string length_text(double length, const Units& units);

/// Such as "Plummer, eps = 0.01".
std::string describe(const Softening& softening);

/// The options in words, as provenance for a file: solver, tolerance, order, softening, ... With
/// those of Solver::options() they repeat the result bit for bit. Files state G themselves.
std::map<std::string, std::string> describe(const SolverOptions& solver);

/// The options with the mesh that is taken for the snapshot's particles.
SolverOptions known_forces(SolverOptions used, const Snapshot& snapshot);

/// What forces were computed with, into the snapshot that is written with them: softening, G, box
/// and all of describe(). Of the earlier provenance stays what linear theory needs.
void state_forces(const SolverOptions& used, const std::string& device, Snapshot& snapshot);

} // namespace chamomile
