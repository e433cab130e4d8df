/// \file  A JerkSolver with plain loops in double: exact sums for testing integrators, and a
/// reference for the library's solvers.
#pragma once

#include <cmath>

#include "chamomile/force/pairs/jerk_solver.hpp"

namespace chamomile::tests {

class ReferenceJerk final : public JerkSolver {
public:
    explicit ReferenceJerk(double eps = 0, double gravitational_constant = 1,
                           SofteningRule rule = SofteningRule::larger)
    {
        options_.solver = SolverKind::direct;
        options_.precision = Precision::double_precision;
        options_.softening = {SofteningKind::plummer, eps, rule};
        options_.gravitational_constant = gravitational_constant;
    }

    ForceStatistics solve(std::span<const MovingSource> sources, std::span<const double> softening,
                          std::span<const Index> active, std::span<JerkSum> sums) override
    {
#pragma omp parallel for if (active.size() * sources.size() > 100000)
        for (std::size_t k = 0; k < active.size(); ++k) {
            double a[3] = {}, j[3] = {}, phi = 0;
            const MovingSource& i = sources[active[k]];
            for (std::size_t s = 0; s < sources.size(); ++s) {
                if (s == active[k])
                    continue;
                const MovingSource& o = sources[s];
                double eps = options_.softening.length;
                if (!softening.empty())
                    eps = options_.softening.rule == SofteningRule::larger
                              ? std::fmax(softening[active[k]], softening[s])
                              : std::hypot(softening[active[k]], softening[s]);
                const double r[3] = {o.position.x - i.position.x, o.position.y - i.position.y,
                                     o.position.z - i.position.z};
                const double v[3] = {o.velocity.x - i.velocity.x, o.velocity.y - i.velocity.y,
                                     o.velocity.z - i.velocity.z};
                const double s2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + eps * eps;
                const double rv = r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
                const double m = options_.gravitational_constant * o.mass, d = std::sqrt(s2);
                for (int c = 0; c < 3; ++c) {
                    a[c] += m * r[c] / (s2 * d);
                    j[c] += m * (v[c] / (s2 * d) - 3 * rv * r[c] / (s2 * s2 * d));
                }
                phi -= m / d;
            }
            sums[k] = {{a[0], a[1], a[2]}, {j[0], j[1], j[2]}, phi};
        }
        ++calls;
        ForceStatistics statistics;
        statistics.targets = active.size();
        statistics.particle_particle = active.size() * sources.size();
        return statistics;
    }
    std::string device() const override
    {
        return "reference";
    }
    const SolverOptions& options() const override
    {
        return options_;
    }

    std::uint64_t calls = 0;

private:
    SolverOptions options_;
};

} // namespace chamomile::tests
