/// \file  Direct sums in double for any Physics: pair by pair, in a periodic box by Ewald's method.
#pragma once

#include <span>

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Returns the solver's results for the targets, without the scale of Dehnen's error. Overwrites
/// accelerations and potentials of the particles.
ReferenceSums sums_by(Solver& solver, Particles& particles, std::span<const Index> targets);

/// Returns the sums for the targets, computed on the CPU. Those in a box overwrite accelerations
/// and potentials of the particles, and lack the scale of Dehnen's error.
ReferenceSums exact_sums(Particles& particles, std::span<const Index> targets,
                         const Physics& physics);

} // namespace chamomile
