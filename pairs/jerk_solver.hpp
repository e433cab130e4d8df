/// \file  Accelerations, their time derivatives (jerks) and potentials of some particles from all,
/// for integrators.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/pairs/laws/gravity_jerk.hpp"

namespace chamomile {

/// A particle at the time for which forces are asked: position, velocity, mass.
using MovingSource = GravityJerk::Source<double>;
/// What all others do to it: acceleration, jerk, potential; the unit of G included.
using JerkSum = GravityJerk::Sum<double>;

/// Not safe for two threads at once. No bit of a sum depends on the number of threads.
class JerkSolver {
public:
    virtual ~JerkSolver() = default;

    /// sums[k] becomes the sum for source active[k] over all sources but itself. It need not be
    /// finite: two sources at one place without softening are the caller's affair. Throws
    /// Error(input) for a source that is not finite, Error(device) if the device fails.
    virtual ForceStatistics solve(std::span<const MovingSource> sources,
                                  std::span<const Index> active, std::span<JerkSum> sums) = 0;

    /// Such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// G, softening, precision, device and instruction set in force; the solver is direct.
    virtual const SolverOptions& options() const = 0;
};

/// Why there are no jerks of these options, in a sentence; nothing if there are.
std::optional<std::string> jerk_refusal(const SolverOptions& options);

/// Direct sums by the law GravityJerk with G, softening, precision, device and instruction set of
/// the options. Throws Error(usage) with the refusal, and like make_solver().
std::unique_ptr<JerkSolver> make_jerk_solver(const SolverOptions& options);

} // namespace chamomile
