/// \file  The direct sum in double precision that everything else is measured against.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/softening.hpp"

namespace chamomile {

/// Entry k of each array belongs to target k.
struct ReferenceSums {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential; ///< without the self term
    /// G sum_j |m_j| / r_ij^2, the scale of Dehnen (2014); NaN: unknown
    std::vector<double> absolute_sum;
};

/// Returns accelerations and potentials of the particles `targets` (indices) from all particles,
/// one pair at a time in double, by formulas written for this purpose alone: the routine shares no
/// code with the evaluators. Particles with softening lengths of their own have these, and pairs
/// follow the rule. Pairs at one place add no force; their potential is the softened one.
ReferenceSums reference_sum(const Particles& particles, std::span<const Index> targets,
                            Softening softening, double gravitational_constant);

/// Returns n different indices, ascending, spread evenly and reproducibly over all particles; all
/// of them if n >= size.
std::vector<Index> sample_targets(std::size_t size, std::size_t n);

} // namespace chamomile
