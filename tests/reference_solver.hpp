/// \file  A Solver over the reference sum: the integrators are tested with forces that are exact.
#pragma once

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

class ReferenceSolver : public Solver {
public:
    explicit ReferenceSolver(Softening softening = {}, double gravitational_constant = 1)
    {
        options_.solver = SolverKind::direct;
        options_.precision = Precision::double_precision;
        options_.softening = softening;
        options_.gravitational_constant = gravitational_constant;
    }

    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        const std::vector<Index> all = sample_targets(particles.size(), particles.size());
        const std::span<const Index> targets = active.empty() ? std::span(all) : active;
        const ReferenceSums sums =
            reference_sum(particles, targets, options_.softening, options_.gravitational_constant);
        for (std::size_t k = 0; k < targets.size(); ++k) {
            particles.acceleration[targets[k]] = sums.acceleration[k];
            if (quantities == Quantities::acceleration_potential)
                particles.potential[targets[k]] = sums.potential[k];
        }
        ++evaluations;
        potential_evaluations += quantities == Quantities::acceleration_potential;
        ForceStatistics statistics;
        statistics.targets = targets.size();
        statistics.particle_particle = targets.size() * particles.size();
        return statistics;
    }
    std::string device() const override { return "reference"; }
    const SolverOptions& options() const override { return options_; }

    int evaluations = 0, potential_evaluations = 0;

private:
    SolverOptions options_;
};

} // namespace chamomile::tests
