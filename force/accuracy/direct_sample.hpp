/// \file  Errors at a sample of particles, by direct sums over all particles on the solver's
/// device; in a periodic box by Ewald sums on the CPU.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Keeps the direct sums at its targets until the next measure().
class DirectSample {
public:
    /// Sums with the law, device and precision in `options`.
    explicit DirectSample(const SolverOptions& options);

    /// Computes direct sums at about `targets` particles, chosen by sample_targets(). A collective
    /// call with each rank's run of the particles, in host arrays. Sums are over blocks of
    /// rows_of_block particles of all ranks, so that the number of ranks changes no bit. Throws
    /// like Solver::evaluate().
    void measure(const Request& request, std::size_t targets, Quantities quantities,
                 Communicator& ranks);
    void measure(const Request& request, std::size_t targets, Quantities quantities)
    {
        Communicator alone;
        measure(request, targets, quantities, alone);
    }

    /// Returns the indices of this rank's targets.
    const std::vector<Index>& targets() const { return targets_; }

    /// Returns |da| / |a| per target, or |da| where there is no force. `acceleration` is for all
    /// particles of this rank.
    std::vector<double> acceleration_errors(const ArrayView& acceleration) const;
    /// Like acceleration_errors(), for |dphi| / |phi|, if potentials were measured.
    std::vector<double> potential_errors(const ArrayView& potential) const;

private:
    struct Row;
    struct Sum;
    std::vector<Sum> sum_block(std::span<const Row> rows, std::span<const Row> points,
                               std::span<const Index> places, const Request& request,
                               Quantities quantities);

    std::unique_ptr<Solver> direct_;
    std::vector<Index> targets_;
    std::vector<Vec3<double>> acceleration_;
    std::vector<double> potential_;
};

/// Returns the value that `percentile` % of the values do not exceed; 0 without values. Partly
/// sorts the values.
double value_at_percentile(std::vector<double>& values, double percentile);

} // namespace chamomile
