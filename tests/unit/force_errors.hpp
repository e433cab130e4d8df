/// \file  Errors of a solver's forces against the reference sum.
#pragma once

#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

inline ForceErrors errors_of(Particles particles, const SolverOptions& options,
                             std::size_t sample = 4096)
{
    make_solver(options)->solve(particles, Quantities::acceleration_potential);
    const std::vector<Index> targets = sample_targets(particles.size(), sample);
    return force_errors(
        particles,
        reference_sum(particles, targets, options.softening, options.gravitational_constant),
        targets);
}

} // namespace chamomile::tests
