/// \file  Repairs non-finite sums, from coincident pairs or pairs closer than float resolves.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Repeats the sums at particles `singular`, directly and in double. Throws Error(input) naming the
/// ids of two particles that coincide without softening, Error(numeric) if a sum is not finite for
/// another reason.
void repair_singular_targets(Particles& particles, std::span<const Index> singular,
                             const SolverOptions& options, Quantities quantities);

/// Returns a request's particles on the host: positions, masses, ids and softening, with room for
/// accelerations.
Particles particles_of(const Request& request);

/// Throws Error(input) if particle i coincides with another without softening, else Error(numeric).
[[noreturn]] void refuse_singular_target(const Particles& particles, Index i,
                                         const Softening& softening);

/// Returns n softening lengths, cut to `max`. Throws Error(input) naming the first negative or
/// non-finite one as `word`, counted from `first`.
std::vector<double> cut_softenings(const ArrayView& softening, std::size_t n,
                                   std::optional<double> max = {}, std::size_t first = 0,
                                   const char* word = "particle");

/// Returns min and max over n > 0 softening lengths on the host or the device, cut to `max`.
/// Throws like cut_softenings().
std::pair<double, double> span_of_softenings(const ArrayView& softening, std::size_t n,
                                             std::optional<double> max, const std::string& device,
                                             std::size_t first = 0);

/// Softening lengths for one evaluation.
struct SofteningLengths {
    double length;             ///< for all pairs; the max if particles differ
    std::optional<double> min; ///< the min, if particles differ
};

/// Returns the lengths for n particles, cut to `max`. `own`: per-particle softening on the host or
/// the device; may be empty. Equal lengths count as one shared length. Throws like
/// cut_softenings().
SofteningLengths softening_lengths(const ArrayView& own, std::size_t n, std::optional<double> max,
                                   const SolverOptions& options);
/// Returns the lengths from min and max per-particle softening, if any.
SofteningLengths softening_lengths(std::optional<std::pair<double, double>> own,
                                   std::optional<double> max, const SolverOptions& options);

/// Returns sum |m|. Throws Error(input) naming the first particle with a non-finite mass or, if
/// `in_cells`, a negative one.
double require_masses(const Particles& particles, bool in_cells);

} // namespace chamomile
