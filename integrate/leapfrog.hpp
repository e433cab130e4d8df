/// \file  The kick-drift-kick leapfrog.
#pragma once

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/integrate/integrator.hpp"

namespace chamomile {

/// v += dt a, for all particles. Returns 0, or not a number if an acceleration is not finite.
double kick(Particles& particles, double dt);

/// What the parts of a step multiply with: accelerations, velocities, accelerations.
struct Strides {
    double first_kick, drift, last_kick;
};

/// Of a step from `time`; without rounding for Newton's clock: length / 2, length, length / 2.
Strides strides(const Clock& clock, double time, double length);

/// v' = v + kick a, x' = x + drift v', in the box: the first kick and the drift of `from` into
/// other arrays. Returns 0, or not a number if a position is not finite.
double kick_and_drift(const Particles& from, const Strides& strides, Periodicity box,
                      std::vector<Vec3<double>>& position, std::vector<Vec3<double>>& velocity);

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
    /// Keeps references: solver and clock must outlive it. Positions stay in the solver's periodic
    /// box, if it has one. Throws Error(usage) for a step length that is not positive, or adaptive
    /// steps by a softening that is none.
    Leapfrog(Solver& solver, const TimeStep& step, const Clock& clock = Clock::newtonian());

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    Wish next_step(const Particles& particles, Moment now) override;
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void exchange(Archive& archive, Particles& particles) override;
    const Clock& clock() const override { return clock_; }
    const SolverOptions& forces() const override { return solver_.options(); }
    std::string device() const override { return solver_.device(); }

private:
    ForceStatistics solve(Particles& particles, Quantities quantities, Moment now);
    double softening(double time) const { return clock_.softening(time, softening_); }
    /// For the length of the next step.
    bool needs_potentials() const
    {
        return step_.kind == TimeStepKind::adaptive && step_.criterion == StepCriterion::potential;
    }

    Solver& solver_;
    TimeStep step_;
    const Clock& clock_;
    Periodicity box_;
    double softening_; ///< that the solver was made with
    double GM_ = 0;    ///< of all
    /// Before the step that is under way.
    std::vector<Vec3<double>> position_, velocity_, acceleration_;
    std::vector<double> potential_;
};

} // namespace chamomile
