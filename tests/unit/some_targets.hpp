/// \file  Tree errors at selected targets.
#pragma once

#include <cmath>
#include <span>

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

inline SolverOptions tree_options(double eps)
{
    SolverOptions options;
    options.softening = {SofteningKind::plummer, eps};
    options.device = "cpu";
    return options;
}

/// Returns the rms acceleration error at the active particles.
inline double rms_error(const Particles& particles, std::span<const Index> active, double eps)
{
    const ReferenceSums exact = reference_sum(particles, active, {SofteningKind::plummer, eps}, 1);
    double sum = 0;
    for (std::size_t k = 0; k < active.size(); ++k)
        sum += norm_squared(particles.acceleration[active[k]] - exact.acceleration[k]) /
               norm_squared(exact.acceleration[k]);
    return std::sqrt(sum / double(active.size()));
}

} // namespace chamomile::tests
