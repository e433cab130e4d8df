/// \file  Accelerations, their time derivatives (jerks) and potentials, for integrators that need
/// both.
#pragma once

#include <span>
#include <string>

#include "core/vec3.hpp"
#include "force/solver.hpp"

namespace chamomile {

/// A particle as a source, at the time for which forces are asked.
struct MovingSource {
    Vec3<double> position, velocity;
    double mass = 0;
};

/// What all other sources do to a target, G included: with r = x_j - x_i, v = v_j - v_i and
/// s^2 = r^2 + eps^2
///
///     acceleration = G sum m r / s^3,   potential = -G sum m / s,
///     jerk = G sum m [v / s^3 - 3 (r.v) r / s^5]            (Makino & Aarseth 1992, eqs. 1 and 2).
struct JerkSum {
    Vec3<double> acceleration, jerk;
    double potential = 0;
};

/// Not safe for two threads at once. No bit of a sum depends on the number of threads or on which
/// other targets are asked for.
class JerkSolver {
public:
    virtual ~JerkSolver() = default;

    /// sums[k] becomes the sum of the source active[k] over all sources but itself. Sums need not
    /// be finite: two sources at one place without softening are the caller's affair. Throws
    /// Error(device) if the device fails.
    virtual ForceStatistics solve(std::span<const MovingSource> sources,
                                  std::span<const Index> active, std::span<JerkSum> sums) = 0;

    /// Such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// G, Plummer softening, precision, device and instruction set in force; the solver is direct.
    virtual const SolverOptions& options() const = 0;
};

} // namespace chamomile
