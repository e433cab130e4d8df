/// \file  Accelerations, their time derivatives (jerks) and potentials, for integrators.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// A particle at the time of the force evaluation: position, velocity, mass.
using MovingSource = GravityJerk::Source<double>;
/// Sum over all other particles: acceleration, jerk, potential, multiplied by G.
using JerkSum = GravityJerk::Sum<double>;

/// Not thread-safe. No bit of a sum depends on the number of threads.
class JerkSolver {
public:
    virtual ~JerkSolver() = default;

    /// Sets sums[k] to the sum for source active[k] over all sources but itself. `softening`: one
    /// length per source, combined for pairs by the options' rule; empty: the options' length for
    /// all. Sums need not be finite: the caller must avoid coincident sources without softening.
    /// Throws Error(input) for a non-finite source, Error(device) if the device fails.
    virtual ForceStatistics solve(std::span<const MovingSource> sources,
                                  std::span<const double> softening, std::span<const Index> active,
                                  std::span<JerkSum> sums) = 0;

    /// Returns a device name such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// Returns G, softening, precision, device and instruction set in force; the solver is direct.
    virtual const SolverOptions& options() const = 0;
};

/// Returns why Hermite's scheme cannot compute jerks with these options; nothing if it can.
std::optional<std::string> jerk_refusal(const SolverOptions& options);

/// Returns a solver for direct sums by GravityJerk or GravityJerkPerParticle, with G, softening,
/// precision, device and instruction set from `options`. Throws Error(usage) with the refusal, and
/// like make_solver().
std::unique_ptr<JerkSolver> make_jerk_solver(const SolverOptions& options);

} // namespace chamomile
