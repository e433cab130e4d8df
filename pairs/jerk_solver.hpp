/// \file  Accelerations, their time derivatives (jerks) and potentials, for integrators.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/pairs/laws/gravity_jerk.hpp"

namespace chamomile {

/// A MovingSource is a particle at the time of the force evaluation: position, velocity, mass.
using MovingSource = GravityJerk::Source<double>;
/// A JerkSum is the sum over all other particles: acceleration, jerk, potential, multiplied by G.
using JerkSum = GravityJerk::Sum<double>;

/// A JerkSolver is not safe for two threads at once. No bit of a sum depends on the number of
/// threads.
class JerkSolver {
public:
    virtual ~JerkSolver() = default;

    /// Sets sums[k] to the sum for source active[k] over all sources but itself. `softening` has a
    /// length for each source, of which pairs take one by the rule of the options, or none: then
    /// all have that of the options. The sum need not be finite: the caller must avoid two sources
    /// at one place without softening. Throws Error(input) for a source that is not finite,
    /// Error(device) if the device fails.
    virtual ForceStatistics solve(std::span<const MovingSource> sources,
                                  std::span<const double> softening, std::span<const Index> active,
                                  std::span<JerkSum> sums) = 0;

    /// Returns a name such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// Returns G, softening, precision, device and instruction set in force; the solver is direct.
    virtual const SolverOptions& options() const = 0;
};

/// Returns why Hermite's scheme cannot have jerks with these options, or nothing if it can.
std::optional<std::string> jerk_refusal(const SolverOptions& options);

/// Returns a solver of direct sums by the law GravityJerk, or GravityJerkVaried, with G, softening,
/// precision, device and instruction set of the options. Throws Error(usage) with the refusal, and
/// like make_solver().
std::unique_ptr<JerkSolver> make_jerk_solver(const SolverOptions& options);

} // namespace chamomile
