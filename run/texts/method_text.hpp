/// \file  The method of the force summation in words: for people, and as provenance in files.
#pragma once

#include <map>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns a text such as "tolerance 0.001" or, with the name unless it is the default,
/// "geometric, theta 0.6".
std::string criterion_text(const SolverOptions& solver);

/// Returns a text such as "tree, tolerance 0.003, quadrupoles, local order 5" or "direct sum".
std::string method_text(const SolverOptions& solver);

/// Returns a text such as "mesh of 128^3, r_s of 1.25 cells, cut at 5 r_s".
std::string periodic_text(const PeriodicOptions& periodic);

/// Returns a text such as "mesh of 128^3, r_s 29.3 kpc, cut at 146 kpc" for options whose mesh is
/// known; it is empty for isolated systems and direct sums.
std::string long_range_text(const SolverOptions& resolved, const Units& units);

/// Returns the units in words; of N-body units "N-body units (G = 1)" with this G.
std::string units_text(const Units& units, double G);

/// Returns a text such as "37.5 kpc/h", to six digits.
std::string length_text(double length, const Units& units);

/// Returns a text such as "Plummer, eps = 0.01".
std::string describe(const Softening& softening);

/// Returns the same with units and, where particles have lengths of their own, these by type.
std::string softening_text(const Softening& softening, const Particles& particles,
                           const Units& units);

/// Returns the options in words, as provenance for a file: solver, tolerance, order, softening, ...
/// The words of Solver::options() repeat the result bit for bit. Files state G separately.
std::map<std::string, std::string> describe(const SolverOptions& solver);

/// Returns the options with the mesh that is chosen for the snapshot's particles.
SolverOptions known_forces(SolverOptions used, const Snapshot& snapshot);

/// States in the snapshot how its forces were computed: softening, G, box and all of describe(). Of
/// the earlier provenance, the entries that linear theory needs are kept.
void state_forces(const SolverOptions& used, const std::string& device, Snapshot& snapshot);

} // namespace chamomile
