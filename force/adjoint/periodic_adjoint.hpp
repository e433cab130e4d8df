/// \file  The gradient of a loss of direct sums in a periodic cube.
#pragma once

#include <span>
#include <string>

#include "chamomile/core/softening.hpp"
#include "chamomile/force/pairs/pair_solver.hpp"

namespace chamomile {

/// Writes dL/dx and dL/dm of the targets (indices of sources), G = 1, summed on the host in double
/// by the split of make_periodic_direct_solver(). `sources`: rows of the adjoint's pair law
/// (pairs/laws/gravity_adjoint.hpp), with eps^2 if softening is per particle.
PairStatistics sum_periodic_adjoint(double side, const std::string& instruction_set,
                                    std::span<const double> sources,
                                    std::span<const std::uint32_t> targets,
                                    const Softening& softening, bool per_particle,
                                    std::span<double> sums);

} // namespace chamomile
