/// \file  One step of a scheme, as the time loop asks for it.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "chamomile/core/moving_point.hpp"
#include "chamomile/core/particle_rows.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/clock.hpp"
#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/time_step.hpp"

namespace chamomile {

class Archive;
class Communicator;
class ExternalField;
class Leapfrog;
struct RankSubset;

/// Profiles of a simulation give under this name what a step takes beside its force evaluations.
inline constexpr const char* integration_phase = "integration";

/// A Moment says where a simulation is, for numbering and messages.
struct Moment {
    std::uint64_t step = 0; ///< 0 before the first, and its number from its begin on
    double time = 0;        ///< at which the step began, or that it reached
};

/// An Integrator is a scheme with its forces. It is not safe for two threads at once.
class Integrator {
public:
    virtual ~Integrator() = default;

    /// Gives start() the rows of which it takes positions and velocities, a block after another,
    /// where particles live on ranks, as rows() tells: the caller's arrays of what moves are empty.
    virtual void begin_from(std::shared_ptr<ParticleRows>) { assert(!"they live with the caller"); }

    /// Computes the forces of the state from which the first step starts. Throws like step().
    virtual ForceStatistics start(Particles& particles, Quantities quantities, Moment now) = 0;

    struct NextStep {
        double length;
        TimeStepKind kind; ///< how the timeline may shorten it
    };
    /// Returns the length of the next step from now, where no time asked for is nearer.
    virtual NextStep next_step(Moment now) = 0;

    /// Moves positions and velocities of all particles from now to now + length. If potentials are
    /// asked for, these and the accelerations belong to the new positions afterwards. The
    /// statistics have the integration_phase. Throws Error(numeric) naming particle and step if a
    /// position or acceleration is no longer finite, and what the forces throw; positions,
    /// velocities, accelerations and the scheme's own state are then those before the step.
    virtual ForceStatistics step(Particles& particles, double length, Quantities quantities,
                                 Moment now) = 0;

    /// Makes the potentials those of the present positions, out of turn, and changes no later step.
    /// Where it throws they may be those of no evaluation, and it has to be called again.
    virtual ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) = 0;

    /// Makes the particles those of now, where they live elsewhere. Throws like step().
    virtual void fetch(Particles&) {}

    /// Returns the rows of the particles of now where they live on ranks, which have them alone
    /// once keep_alone() is called: what moves is empty in the caller's arrays then, but for the
    /// time between fetch() and the next step. Null: fetch() makes them the caller's.
    virtual ParticleRows* rows(Particles&) { return nullptr; }
    virtual void keep_alone() {}

    /// Measures current particles; potentials must be current.
    virtual Diagnostics diagnose(Particles& particles, LagrangianRadii which, double time)
    {
        fetch(particles);
        return chamomile::diagnose(particles, which, {field(), time});
    }

    /// Makes points of some particles of now, wherever they live, as gather_points() does. Throws
    /// like step().
    virtual void gather(Particles& particles, std::span<const Index> which,
                        const Vec3<double>& origin, std::span<MovingPoint> into)
    {
        gather_points(particles, which, origin, into);
    }

    /// Keeps the state that start() makes and steps change, or restores it in place of start(); the
    /// particles are kept, or have been restored, beside it.
    virtual void exchange(Archive& archive, Particles& particles) = 0;

    /// Returns the communicator if calls are collective and each rank has its own particles; else
    /// null.
    virtual Communicator* ranks() { return nullptr; }
    /// Returns the leapfrog, or null for other schemes.
    virtual const Leapfrog* leapfrog() const { return nullptr; }

    /// Returns the clock by which the scheme counts time.
    virtual const Clock& clock() const { return Clock::newtonian(); }

    /// Puts the particles into an external field, before start() or exchange(). Accelerations and
    /// potentials are then those of the particles and the field. Throws Error(usage) for a field
    /// that the scheme cannot have.
    virtual void put_into(std::shared_ptr<const ExternalField> field) { field_ = std::move(field); }
    /// Returns the external field, or null.
    const ExternalField* field() const { return field_.get(); }

    /// forces() returns the options in force of what computes the forces, device() where it runs.
    virtual const SolverOptions& forces() const = 0;
    virtual std::string device() const = 0;

protected:
    std::shared_ptr<const ExternalField> field_;
};

/// Throws Error(numeric) naming the first particle whose value ("position") is not finite; the
/// values are those of the particles from `first` on.
void require_finite(const Particles& particles, std::span<const Vec3<double>> values,
                    const char* what, Moment now, std::size_t first = 0);
/// Checks particles on all ranks; throws the same on all.
void require_finite(const Particles& particles, const RankSubset& part,
                    std::span<const Vec3<double>> values, const char* what, Moment now);

} // namespace chamomile
