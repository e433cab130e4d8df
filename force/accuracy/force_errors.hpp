/// \file  The errors of accelerations and potentials against the reference sum, in percentiles.
#pragma once

#include <span>
#include <vector>

#include "chamomile/force/reference_sum.hpp"

namespace chamomile {

struct Percentiles {
    double rms = 0, median = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
};

/// Returns the percentiles of values that are sorted by the call; all zero if there are none.
Percentiles percentiles(std::vector<double>& values);

struct ForceErrors {
    Percentiles acceleration; ///< |da| / |a|
    Percentiles scaled;       ///< |da| / sum_j G m_j / r_ij^2, the scaled error of Dehnen (2014)
    Percentiles potential;    ///< |dphi| / |phi|
    Index worst = 0;          ///< the particle with the largest |da| / |a|
    bool all_finite = true;
};

/// These are the errors of each target, in the order of the targets.
struct TargetErrors {
    std::vector<double> acceleration, potential;
    std::vector<double> scaled; ///< NaN where the reference does not know the scale
};

/// Compares what `particles` hold with the reference of `targets`. A target without any force (a
/// single particle) counts its error as absolute.
TargetErrors target_errors(const Particles& particles, const ReferenceSums& reference,
                           std::span<const Index> targets);

/// Returns statistics of the errors; those of the scaled error take the targets whose scale is
/// known.
ForceErrors force_errors(const TargetErrors& errors, std::span<const Index> targets);

/// Finds the errors of the targets and returns their statistics.
ForceErrors force_errors(const Particles& particles, const ReferenceSums& reference,
                         std::span<const Index> targets);

/// Returns |sum_i m_i a_i| / sum_i m_i |a_i| over all particles: 0 if Newton's third law held
/// exactly.
double momentum_residue(const Particles& particles);

} // namespace chamomile
