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

    /// Direct sums of about `targets` particles, those of sample_targets(). `particles` are as they
    /// were afterwards. Throws what Solver::solve() does.
    void measure(Particles& particles, std::size_t targets, Quantities quantities);

    const std::vector<Index>& targets() const { return targets_; }

    /// |da| / |a| of what `particles` hold, target by target; |da| where there is no force.
    std::vector<double> acceleration_errors(const Particles& particles) const;
    /// |dphi| / |phi| likewise, if potentials were measured.
    std::vector<double> potential_errors(const Particles& particles) const;

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
