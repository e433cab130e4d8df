#include "chamomile/force/accuracy/exact_sums.hpp"

#include <limits>

namespace chamomile {

ReferenceSums sums_by(Solver& solver, Particles& particles, std::span<const Index> targets)
{
    solver.solve(particles, Quantities::acceleration_potential, targets);
    ReferenceSums sums;
    sums.absolute_sum.assign(targets.size(), std::numeric_limits<double>::quiet_NaN());
    for (const Index i : targets) {
        sums.acceleration.push_back(particles.acceleration[i]);
        sums.potential.push_back(particles.potential[i]);
    }
    return sums;
}

ReferenceSums exact_sums(Particles& particles, std::span<const Index> targets,
                         const Physics& physics)
{
    if (!physics.is_periodic())
        return reference_sum(particles, targets, physics.softening, physics.gravitational_constant);
    SolverOptions direct;
    static_cast<Physics&>(direct) = physics;
    direct.solver = SolverKind::direct;
    direct.precision = Precision::double_precision;
    direct.device = "cpu";
    return sums_by(*make_solver(direct), particles, targets);
}

} // namespace chamomile
