/// \file  Errors of a solver's forces against the reference sum, and their percentiles.
#pragma once

#include <algorithm>
#include <cmath>

#include "force/reference_sum.hpp"
#include "force/solver.hpp"

namespace chamomile::tests {

struct ForceErrors {
    double rms = 0, median = 0, p99 = 0, max = 0;
    double potential_max = 0;
    bool all_finite = true;
};

/// |da|/|a| and |dphi|/|phi| of `sample` targets, for accelerations already in `particles`.
inline ForceErrors compare(const Particles& particles, const ReferenceSums& exact,
                           const std::vector<Index>& targets)
{
    ForceErrors e;
    std::vector<double> errors;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const Index i = targets[k];
        const Vec3<double> a = exact.acceleration[k];
        const double error = norm(particles.acceleration[i] - a) / norm(a);
        e.all_finite &= std::isfinite(error) && std::isfinite(particles.potential[i]);
        e.rms += error * error;
        e.potential_max =
            std::max(e.potential_max, std::abs(particles.potential[i] / exact.potential[k] - 1));
        errors.push_back(error);
    }
    std::sort(errors.begin(), errors.end());
    const std::size_t n = errors.size();
    e.rms = std::sqrt(e.rms / double(n));
    e.median = errors[n / 2];
    e.p99 = errors[n * 99 / 100];
    e.max = errors[n - 1];
    return e;
}

inline ForceErrors force_errors(Particles particles, const SolverOptions& options,
                                std::size_t sample = 4096)
{
    make_solver(options)->solve(particles, Quantities::acceleration_potential);
    const std::vector<Index> targets = sample_targets(particles.size(), sample);
    return compare(
        particles,
        reference_sum(particles, targets, options.softening, options.gravitational_constant),
        targets);
}

} // namespace chamomile::tests
