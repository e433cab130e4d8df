/// \file  The kick-drift-kick leapfrog.
#pragma once

#include "core/particles.hpp"
#include "integrate/integrator.hpp"

namespace chamomile {

/// v += dt a, for all particles.
void kick(Particles& particles, double dt);

/// v' = v + dt/2 a, x' = x + dt v': half a kick and a drift of `from` into other arrays.
void kick_and_drift(const Particles& from, double dt, std::vector<Vec3<double>>& position,
                    std::vector<Vec3<double>>& velocity);

/// x += dt v, for all particles.
void drift(Particles& particles, double dt);

/// One step of length dt: half a kick, a drift, new accelerations by `evaluate()`, half a kick.
/// Second order, symplectic and reversible for a constant dt (Quinn et al. 1997). The
/// accelerations must belong to the positions, and do so again afterwards.
template <class Evaluate>
void kick_drift_kick(Particles& particles, double dt, Evaluate&& evaluate)
{
    kick(particles, dt / 2);
    drift(particles, dt);
    evaluate();
    kick(particles, dt / 2);
}

/// The leapfrog with a step that all particles share and the forces of a solver.
class Leapfrog final : public Integrator {
public:
    /// Keeps a reference: the solver must outlive it. Throws Error(usage) for a step length that is
    /// not positive, or adaptive steps without softening.
    Leapfrog(Solver& solver, const TimeStep& step);

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    Wish next_step(const Particles& particles) override;
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void exchange(Archive& archive, Particles& particles) override;
    const SolverOptions& forces() const override { return solver_.options(); }
    std::string device() const override { return solver_.device(); }

private:
    Solver& solver_;
    TimeStep step_;
    /// Before the step that is under way.
    std::vector<Vec3<double>> position_, velocity_, acceleration_;
};

} // namespace chamomile
