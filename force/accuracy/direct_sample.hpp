/// \file  The errors of a sample of particles, by direct sums over all particles on the solver's
/// device; in a periodic box by those of Ewald on the processor.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Remembers the direct sums of its targets until measure() is called again.
class DirectSample {
public:
    /// Sums with the law, the device and the precision of `options`.
    explicit DirectSample(const SolverOptions& options);

    /// Direct sums of about `targets` particles of the request, those of sample_targets(). Throws
    /// what Solver::evaluate() does.
    void measure(const Request& request, std::size_t targets, Quantities quantities);

    const std::vector<Index>& targets() const { return targets_; }

    /// |da| / |a| of the accelerations of all particles, target by target; |da| where there is no
    /// force.
    std::vector<double> acceleration_errors(const ArrayView& acceleration) const;
    /// |dphi| / |phi| likewise, if potentials were measured.
    std::vector<double> potential_errors(const ArrayView& potential) const;

private:
    std::unique_ptr<Solver> direct_;
    std::vector<Index> targets_;
    std::vector<Vec3<double>> acceleration_;
    std::vector<double> potential_;
};

/// The value that `percentile` % of the values do not exceed; sorts them partly. 0 if there are
/// none.
double value_at_percentile(std::vector<double>& values, double percentile);

} // namespace chamomile
