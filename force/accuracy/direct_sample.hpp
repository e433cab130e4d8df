/// \file  Errors at a sample of particles, by direct sums over all particles on the solver's
/// device; in a periodic box by Ewald sums on the CPU.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Keeps the direct sums at its targets until the next measure().
class DirectSample {
public:
    /// Sums with the law, device and precision in `options`.
    explicit DirectSample(const SolverOptions& options);

    /// Computes direct sums at about `targets` particles, chosen by sample_targets(). Throws like
    /// Solver::evaluate().
    void measure(const Request& request, std::size_t targets, Quantities quantities);

    const std::vector<Index>& targets() const { return targets_; }

    /// Returns |da| / |a| per target, or |da| where there is no force. `acceleration` is for all
    /// particles.
    std::vector<double> acceleration_errors(const ArrayView& acceleration) const;
    /// Like acceleration_errors(), for |dphi| / |phi|, if potentials were measured.
    std::vector<double> potential_errors(const ArrayView& potential) const;

private:
    std::unique_ptr<Solver> direct_;
    std::vector<Index> targets_;
    std::vector<Vec3<double>> acceleration_;
    std::vector<double> potential_;
};

/// Returns the value that `percentile` % of the values do not exceed; 0 without values. Partly
/// sorts the values.
double value_at_percentile(std::vector<double>& values, double percentile);

} // namespace chamomile
