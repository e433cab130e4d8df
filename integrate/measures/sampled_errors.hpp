/// \file  Errors of forces in a time loop at a sample of particles, by direct sums.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {

/// Errors relative to the direct sum, one per target, in the order of the particles of all ranks.
struct SampledErrors {
    std::vector<double> acceleration, potential;
};

/// Compares the present forces of the particles, without the external field, with direct sums in
/// double at about `targets` particles, on the device in `options`. A collective call with each
/// rank's run of the particles, which it leaves unchanged. Throws like DirectSample::measure().
SampledErrors sampled_errors(SolverOptions options, std::optional<double> softening_length,
                             Particles& particles, std::size_t targets, Quantities quantities,
                             const ExternalState& external, Communicator& ranks);

} // namespace chamomile
