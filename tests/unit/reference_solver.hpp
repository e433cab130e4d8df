/// \file  A Solver with the reference sum: exact forces for testing integrators.
#pragma once

#include "chamomile/force/reference_sum.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
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

    ForceStatistics evaluate(const Request& request) override
    {
        const Particles particles = particles_of(request);
        const std::vector<Index> all = sample_targets(request.count, request.count);
        const std::span<const Index> targets =
            request.active.empty() ? std::span(all) : request.active;
        Softening softening = options_.softening;
        softening.length = request.softening_length.value_or(softening.length);
        const ReferenceSums sums =
            reference_sum(particles, targets, softening, options_.gravitational_constant);
        for (std::size_t k = 0; k < targets.size(); ++k) {
            request.acceleration.store_vector(targets[k], sums.acceleration[k]);
            if (request.potential)
                request.potential.store(targets[k], 0, sums.potential[k]);
        }
        ++evaluations;
        potential_evaluations += bool(request.potential);
        ForceStatistics statistics;
        statistics.targets = targets.size();
        statistics.particle_particle = targets.size() * request.count;
        return statistics;
    }
    std::string device() const override { return "reference"; }
    const SolverOptions& options() const override { return options_; }

    int evaluations = 0, potential_evaluations = 0;

private:
    SolverOptions options_;
};

} // namespace chamomile::tests
