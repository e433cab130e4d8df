/// \file  The repair of sums that are not finite, from pairs at one place or closer than float can
/// tell.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Evaluates particles whose sums are not finite once more, directly and in double. Throws
/// Error(input) naming the ids of two particles that coincide without softening, Error(numeric) if
/// a sum is still not finite for another reason.
void repair_singular_targets(Particles& particles, std::span<const Index> singular,
                             const SolverOptions& options, Quantities quantities);

/// Returns a copy of the particles of a request on the host: positions, masses and ids, with room
/// for accelerations.
Particles particles_of(const Request& request);

/// Throws for such a particle: Error(input) if it coincides with another, else Error(numeric).
[[noreturn]] void refuse_singular_target(const Particles& particles, Index i,
                                         const Softening& softening);

/// Returns n softening lengths, each `most` at most. Throws Error(input) naming the first that is
/// negative or not finite, counted from `first`.
std::vector<double> cut_softenings(const ArrayView& softening, std::size_t n,
                                   std::optional<double> most = {}, std::size_t first = 0);

/// Returns the least and the largest of n > 0 softening lengths that lie on the host or on the
/// device, each `most` at most. Throws like cut_softenings().
std::pair<double, double> span_of_softenings(const ArrayView& softening, std::size_t n,
                                             std::optional<double> most, const std::string& device,
                                             std::size_t first = 0);

/// SofteningLengths are those of an evaluation.
struct SofteningLengths {
    double length;               ///< of all pairs; the longest, where particles differ
    std::optional<double> least; ///< the shortest, where they differ
};

/// Returns those of n particles, from the lengths of their own if there are any, which lie on the
/// host or on the device, each `most` at most. Lengths that are all equal are one. Throws like
/// cut_softenings().
SofteningLengths softening_lengths(const ArrayView& own, std::size_t n, std::optional<double> most,
                                   const SolverOptions& options);
/// Returns those of particles whose shortest and longest length of their own are these, if any.
SofteningLengths softening_lengths(std::optional<std::pair<double, double>> own,
                                   std::optional<double> most, const SolverOptions& options);

/// Returns the sum of |m|. Throws Error(input) naming the first particle whose mass is not finite
/// or, if they are to be summed in cells, negative.
double require_masses(const Particles& particles, bool in_cells);

} // namespace chamomile
