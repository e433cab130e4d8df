/// \file  One step of a scheme, as called by the time loop.
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chamomile/core/moving_point.hpp"
#include "chamomile/core/particle_reader.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/clock.hpp"
#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/measures/sampled_errors.hpp"
#include "chamomile/integrate/time_step.hpp"

namespace chamomile {

class Archive;
class Communicator;
class ExternalField;
class Leapfrog;
struct Crossing;
class LedParticles;
struct LightCone;
struct Passage;
struct RankSubset;

/// The phase of profiles for a step's time outside force evaluations.
inline constexpr const char* integration_phase = "integration";

/// A Moment is a step and time of a simulation, for numbering and messages.
struct Moment {
    std::uint64_t step = 0; ///< 0 before the first step; from its begin on the step's number
    double time = 0;        ///< at the step's begin, or reached by it
};

/// An Integrator is a scheme with its forces. Not thread-safe.
class Integrator {
public:
    virtual ~Integrator() = default;

    /// Sets the rows from which start() reads positions and velocities block by block. Used if
    /// particles are on ranks (see rows()); the caller's moving columns are then empty.
    virtual void begin_from(std::shared_ptr<ParticleReader>)
    {
        assert(!"they live with the caller");
    }

    /// Computes the forces for the first step. Throws like step().
    virtual ForceStatistics start(Particles& particles, Quantities quantities, Moment now) = 0;

    struct NextStep {
        double length;
        TimeStepKind kind; ///< how the timeline may shorten it
    };
    /// Returns the length of the next step, before the timeline shortens it to hit a requested
    /// time.
    virtual NextStep next_step(Moment now) = 0;

    /// Moves positions and velocities of all particles from now to now + length. If potentials are
    /// requested, potentials and accelerations belong to the new positions afterwards. The
    /// statistics include the integration_phase. Throws Error(numeric) naming particle and step if
    /// a position or acceleration is not finite, and any error of the forces. Positions,
    /// velocities, accelerations and the scheme's state are then restored.
    virtual ForceStatistics step(Particles& particles, double length, Quantities quantities,
                                 Moment now) = 0;

    /// Computes the potentials of the current positions, without effect on later steps. After an
    /// exception the potentials are undefined until the next call.
    virtual ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) = 0;

    /// Copies the current state into `particles` if it is stored elsewhere. Throws like step().
    virtual void fetch(Particles&) {}

    /// Returns the rows of the current particles if they are on ranks. After release_host_copy()
    /// only ranks keep ids and moving columns: the caller's are empty, except between fetch() and
    /// the next step. Null: fetch() fills the caller's columns.
    virtual ParticleReader* rows(Particles&) { return nullptr; }
    virtual void release_host_copy() {}

    /// Measures current particles; potentials must be current.
    virtual Diagnostics diagnose(Particles& particles, LagrangianRadii which, double time)
    {
        fetch(particles);
        return chamomile::diagnose(particles, which, {field(), time});
    }

    /// Measures errors of current particles, on their ranks. Throws like sampled_errors().
    virtual SampledErrors sample_errors(Particles& particles, std::size_t targets,
                                        Quantities quantities, double time);

    /// Copies the particles in `which`, on any device, as gather_points(). Throws like step().
    virtual void gather(Particles& particles, std::span<const GlobalIndex> which,
                        std::span<PhasePoint> into)
    {
        gather_points(particles, which, into);
    }

    /// Calls `observer` with a time within a whole step of individual steps, after every `every`-th
    /// block but the last. gather() then has all particles at this time: the leapfrog's positions
    /// by the drift with the velocity in the middle of the particle's step, Hermite's by its
    /// prediction. Throws Error(usage) for a scheme that cannot.
    using BlockObserver = std::function<void(double time)>;
    virtual void after_blocks(std::uint64_t every, BlockObserver observer);

    /// Keeps or restores the state between steps, in place of start(). The particles themselves are
    /// kept, and restored first, by the caller.
    virtual void exchange(Archive& archive, Particles& particles) = 0;

    /// Returns the communicator if calls are collective and each rank has local particles; else
    /// null.
    virtual Communicator* ranks() { return nullptr; }
    /// Returns the particles on ranks that rank 0 leads, or null. For measurements on ranks.
    virtual LedParticles* led() { return nullptr; }
    /// Returns the leapfrog, or null for other schemes.
    virtual const Leapfrog* leapfrog() const { return nullptr; }

    /// Records passages of two unbound particles within `distance`. Throws Error(usage) for
    /// schemes other than Hermite's.
    virtual void record_passages(double distance);
    /// Returns the passages during the last step, if they are recorded.
    virtual std::span<const Passage> passages() const { return {}; }

    /// Records crossings of a light cone in later steps, from its radius on. Call before start() or
    /// exchange(). Throws Error(usage) for schemes that cannot.
    virtual void record_crossings(LightCone cone);
    /// Returns the crossings in the last step, if they are recorded, and forgets them.
    virtual std::vector<Crossing> take_crossings();
    /// Returns the light cone with its radius at the end of the last step, or null.
    virtual const LightCone* light_cone() const { return nullptr; }

    /// Returns the scheme's clock.
    virtual const Clock& clock() const { return Clock::newtonian(); }

    /// Sets an external field, before start() or exchange(). Accelerations and potentials then
    /// include the field. Throws Error(usage) for a field that the scheme cannot use.
    virtual void put_into(std::shared_ptr<const ExternalField> field) { field_ = std::move(field); }
    /// Returns the external field, or null.
    const ExternalField* field() const { return field_.get(); }

    /// forces() returns the force solver's options in use, device() its device.
    virtual const SolverOptions& forces() const = 0;
    virtual std::string device() const = 0;

protected:
    /// Calls the observer, if any, after block `block` of the whole step, counted from 0.
    void see_block(std::uint64_t block, double time) const
    {
        if (block_observer_ && (block + 1) % blocks_between_ == 0)
            block_observer_(time);
    }

    std::shared_ptr<const ExternalField> field_;
    BlockObserver block_observer_;
    std::uint64_t blocks_between_ = 1;
};

/// Throws Error(numeric) naming the first particle with a value ("position") that is not finite.
/// `values` belong to the particles from `first` on.
void require_finite(const Particles& particles, std::span<const Vec3<double>> values,
                    const char* what, Moment now, std::size_t first = 0);
/// Checks particles on all ranks; throws the same error on all.
void require_finite(const Particles& particles, const RankSubset& part,
                    std::span<const Vec3<double>> values, const char* what, Moment now);

} // namespace chamomile
