/// \file  Errors of accelerations and potentials against the reference sum, in percentiles.
#pragma once

#include <span>
#include <vector>

#include "chamomile/force/reference_sum.hpp"

namespace chamomile {

struct Percentiles {
    double rms = 0, median = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
};

/// Sorts the values and returns their percentiles; all zero without values.
Percentiles percentiles(std::vector<double>& values);

struct ForceErrors {
    Percentiles acceleration; ///< |da| / |a|
    Percentiles scaled;       ///< |da| / sum_j G m_j / r_ij^2, the scaled error of Dehnen (2014)
    Percentiles potential;    ///< |dphi| / |phi|
    Index worst = 0;          ///< the particle with the largest |da| / |a|, or |dphi| / |phi|
    bool all_finite = true;
};

/// Errors per target, in target order; empty: unknown.
struct TargetErrors {
    std::vector<double> acceleration, potential;
    std::vector<double> scaled; ///< NaN where the reference lacks the scale
};

/// Compares `particles` with the reference at `targets`. A target without any force (a single
/// particle) gets its absolute error.
TargetErrors target_errors(const Particles& particles, const ReferenceSums& reference,
                           std::span<const Index> targets);

/// Returns error statistics; scaled errors only from targets with a known scale.
ForceErrors force_errors(const TargetErrors& errors, std::span<const Index> targets);

/// Computes the errors at the targets and returns their statistics.
ForceErrors force_errors(const Particles& particles, const ReferenceSums& reference,
                         std::span<const Index> targets);

/// Returns the distances of the targets from the center of mass of all particles.
std::vector<double> radii_of(const Particles& particles, std::span<const Index> targets);

/// Returns |sum_i m_i a_i| / sum_i m_i |a_i| over all particles: 0 if Newton's third law holds
/// exactly.
double momentum_residue(const Particles& particles);

} // namespace chamomile
