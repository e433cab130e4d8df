/// \file  Direct sum in double precision: the reference for every other method.
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

/// Returns accelerations and potentials at the particles `targets` (indices) from all particles,
/// pair by pair in double. The formulas share no code with the evaluators. Per-particle softening
/// is used if present, by the pair rule. Coincident pairs add no force; their potential is the
/// softened one.
ReferenceSums reference_sum(const Particles& particles, std::span<const Index> targets,
                            Softening softening, double gravitational_constant);

/// Returns n different indices, ascending, spread evenly and reproducibly over all particles; all
/// indices if n >= size.
template <class Number = Index>
std::vector<Number> sample_targets(std::size_t size, std::size_t n);

} // namespace chamomile
