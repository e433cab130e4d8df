/// \file  The force method in words, for people and as provenance in files.
#pragma once

#include <map>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns a text such as "tolerance 0.001", or "geometric, theta 0.6" with the name of a criterion
/// other than the default.
std::string criterion_text(const SolverOptions& solver);

/// Returns a text such as "tree, tolerance 0.003, quadrupoles, local order 5" or "direct sum".
std::string method_text(const SolverOptions& solver);

/// Returns a text such as "mesh of 128^3, r_s of 1.25 cells, cut at 5 r_s".
std::string periodic_text(const PeriodicOptions& periodic);

/// Returns a text such as "mesh of 128^3, r_s 29.3 kpc, cut at 146 kpc" for options with a known
/// mesh. Empty for isolated systems and direct sums.
std::string long_range_text(const SolverOptions& resolved, const Units& units);

/// Returns the units in words; N-body units as "N-body units (G = 1)" with the given G.
std::string units_text(const Units& units, double G);

/// Returns a text such as "37.5 kpc/h", with six digits.
std::string length_text(double length, const Units& units);

/// Returns a text such as "Plummer, eps = 0.01".
std::string describe(const Softening& softening);

/// Like describe(), with units, and with lengths by type for per-particle softening.
std::string softening_text(const Softening& softening, const Particles& particles,
                           const Units& units);

/// Returns the options in words, as provenance for a file: solver, tolerance, order, softening, ...
/// The words of Solver::options() reproduce the result bitwise. Files state G separately.
std::map<std::string, std::string> describe(const SolverOptions& solver);

/// Returns the options with the mesh chosen for the snapshot's particles.
SolverOptions known_forces(SolverOptions used, const Snapshot& snapshot);

/// Records in the snapshot how its forces were computed: softening, G, box and describe(). Keeps
/// provenance entries for linear theory.
void write_forces(const SolverOptions& used, const std::string& device, Snapshot& snapshot);

} // namespace chamomile
