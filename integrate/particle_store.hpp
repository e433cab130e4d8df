/// \file  Storage of a leapfrog's particles: the caller's arrays, GPU memory, or the ranks of
/// domains.
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/moving_point.hpp"
#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/rungs/block_levels.hpp"
#include "chamomile/integrate/rungs/block_rule.hpp"
#include "chamomile/integrate/rungs/nested_sets.hpp"

namespace chamomile {

class CrossingFinder;

/// Number of particles on each level.
using LevelCounts = std::array<std::uint64_t, BlockLevels::deepest + 1>;

/// Columns of individual steps, in addition to the motion.
struct StepColumns {
    std::vector<double> step;     ///< wanted next
    std::vector<double> measured; ///< by the criterion at the end of the last step
    std::vector<double> orbit;    ///< DynamicalTime::orbit(), for StepCriterion::potential only
    std::vector<Vec3<double>> long_range; ///< long-range acceleration if it kicks separately
};

/// Calls visit(column, values) for each column.
template <class Visit>
void for_each_column(const Visit& visit, StepColumns& columns)
{
    visit(Column::step, columns.step);
    visit(Column::measured, columns.measured);
    visit(Column::orbit, columns.orbit);
    visit(Column::long_range, columns.long_range);
}

/// Frees the moving columns.
inline void drop_moving(Particles& particles)
{
    for_each_column(
        [](Column column, const std::string&, auto& values) {
            if (moves(column))
                std::remove_reference_t<decltype(values)>().swap(values);
        },
        particles);
}

/// The columns that a store keeps in addition to the motion.
struct StoreOptions {
    bool individual = false; ///< StepColumns and a level; else every particle has level 0
    bool potentials = false; ///< potentials, read by the step criterion
    bool long_range = false; ///< the long range separately, for kicks over whole steps
    bool nested = false;     ///< NestedSets
    Periodicity box = {};    ///< positions are wrapped into it by drifts
};

/// Particle counts by wanted step.
struct StepCounts {
    static constexpr int lowest = -1023, size = 2048;
    /// Entry k counts steps from 2^(k + lowest) up to twice this length; the last entry, infinite
    /// steps.
    std::vector<std::uint64_t> count = std::vector<std::uint64_t>(size);
    double shortest = std::numeric_limits<double>::infinity();

    CHAMOMILE_HD static int entry(double step)
    {
        if (!(step < HUGE_VAL))
            return size - 1;
        const int exponent = ilogb(step);
        return (exponent < lowest ? lowest : exponent) - lowest;
    }
};

/// The first half of a step: a kick of due particles by level, and a drift of all particles.
struct KickAndDrift {
    LevelFactors kick;
    double drift = 0;
    /// Set at the begin of a whole step: velocities first get this factor times the long range, and
    /// accelerations lose it. Blocks then use the short range only.
    std::optional<double> long_range_kick = {};
    std::optional<FrameTurn> turn = {};  ///< of a rotating frame, during the drift
    CrossingFinder* crossings = nullptr; ///< looks at each particle, on the host only
};

/// Rule and levels for the next individual steps at the end of a block.
struct NextLevels {
    BlockRule rule;
    double whole;
    int lowest;
    /// Due particles change level: any number down, or one up if the bit of their level is set.
    /// Empty at the end of a whole step.
    std::optional<std::uint64_t> may_rise = {};
};

/// The result of a block.
struct BlockEnd {
    bool is_finite = true;            ///< of accelerations; always true on a GPU
    std::uint64_t below_shortest = 0; ///< particles below the shortest step
    LevelCounts levels = {};          ///< with NextLevels::may_rise
};

/// A ParticleStore owns positions, velocities, accelerations and the columns of its options. All
/// stores give bitwise equal results. Functions throw Error(device) on a GPU, and PeerFailed on
/// ranks. The state may then be lost, and later calls throw.
class ParticleStore {
public:
    explicit ParticleStore(const StoreOptions& options) : options_(options) {}
    virtual ~ParticleStore() = default;

    /// Sets the host's particles, which must outlive later calls.
    void attach(Particles& particles) { particles_ = &particles; }
    Particles& particles() const { return *particles_; }

    /// Loads the attached particles and the columns. An empty `orbit` becomes 0; other empty
    /// columns must be set before use.
    virtual void load(StepColumns columns) = 0;
    /// Copies the current state to the attached particles; potentials if the last request had them.
    virtual void fetch() = 0;
    /// Copies the current particles in `which`, as gather_points(), without a fetch().
    virtual void gather(std::span<const GlobalIndex> which, std::span<PhasePoint> into)
    {
        gather_points(*particles_, which, into);
    }
    /// Returns the columns of the attached particles.
    virtual StepColumns columns() = 0;

    /// Return current particles in host memory, after fetch() if needed, and their global numbers.
    virtual Particles& here()
    {
        fetch();
        return *particles_;
    }
    virtual RankSubset part(Communicator& ranks) { return {ranks, particles_->size()}; }
    /// Returns the rows of current particles with potentials, for measurements without a fetch().
    /// Null if a fetch() is needed.
    virtual ParticleReader* rows_to_measure() { return nullptr; }
    /// Returns the particles of rows_to_measure() with their masses; moving columns may be old.
    virtual const Particles& fixed_columns() { return *particles_; }
    /// Allows a RankStore to free moving columns of the attached particles, except between fetch()
    /// and the next step.
    virtual void release_host_copy() {}

    /// Marks particles of level `first` or above as due. `count`: their number; the number of all
    /// particles marks all.
    virtual void set_due(int first, std::uint64_t count) = 0;
    /// Returns a request for accelerations, and optionally potentials, of due particles.
    virtual Request request(bool potentials) = 0;
    /// Returns a request for accelerations and potentials of all particles, in arrays of here().
    virtual Request request_here()
    {
        return request_of(here(), Quantities::acceleration_potential);
    }
    /// Adds the field's accelerations at `time`, and potentials if the last request had them, to
    /// those of due particles. On a GPU or on ranks fields must be formulas.
    virtual void add_external(const ExternalField& field, double time) = 0;
    /// Computes the field at due particles for the step criterion, if accelerations, and potentials
    /// that the criterion reads, include it. add_external() calls it for individual steps.
    virtual void measure_external(const ExternalField& field, double time) = 0;
    /// Returns a zeroed array for the long-range accelerations of the next evaluation.
    virtual ArrayView clear_long_range() = 0;
    /// Adds the long range to accelerations and, times a `kick` that is not 0, to velocities.
    virtual void add_long_range(double kick) = 0;

    /// sets(), begin_sets() and request_of_set() replace request() and kick_and_drift() with
    /// StoreOptions::nested. begin_sets() begins a whole step after place(): kicks by the long
    /// range as KickAndDrift::long_range_kick, and computes the field, if not null, at `time`. The
    /// last request_of_set() before add_external() must be that of all due particles.
    virtual NestedSets& sets() { throw no_sets(); }
    virtual void begin_sets(std::optional<double> /*long_range_kick*/,
                            const ExternalField* /*field*/, double /*time*/)
    {
        throw no_sets();
    }
    virtual Request request_of_set(std::size_t /*set*/, bool /*potentials*/) { throw no_sets(); }

    /// Saves the state for restore(), before the first kick_and_drift() of a whole step.
    virtual void begin_step() = 0;
    virtual void restore() = 0;

    virtual void kick_and_drift(const KickAndDrift& move) = 0;
    /// Kicks due particles by level; with `next` chooses their next steps and levels.
    virtual BlockEnd end_block(const LevelFactors& factors, const std::optional<NextLevels>& next)
    {
        BlockEnd end{.is_finite = kick(factors)};
        if (next)
            end.below_shortest = choose_steps(next->rule, next->whole, next->lowest);
        if (next && next->may_rise)
            end.levels = change_levels(next->whole, next->lowest, *next->may_rise);
        return end;
    }
    /// True if all positions are finite.
    virtual bool has_finite_positions() = 0;

    /// Sets each particle's level from its wanted step, for a whole step of length `whole`.
    virtual LevelCounts place(double whole, int lowest) = 0;

    /// Measures the first steps of all particles.
    virtual void choose_first_steps(const BlockRule& rule) = 0;
    virtual StepCounts count_steps() = 0;

    /// Returns the shortest dynamical time; infinity without forces.
    virtual double shortest_time(const DynamicalTime& dynamical) = 0;
    /// Adds the squared velocities of the particles on every rank.
    virtual void add_squared_velocities(ExactSums<double>& sums) = 0;

protected:
    /// Kicks due particles. Returns false if an acceleration is not finite.
    virtual bool kick(const LevelFactors&) { return true; }
    /// Measures the next steps of due particles. Returns the number of particles that want less
    /// than the shortest step, whole / 2^lowest.
    virtual std::uint64_t choose_steps(const BlockRule&, double /*whole*/, int /*lowest*/)
    {
        return 0;
    }
    /// Changes the levels of due particles to their wanted step: any number down, or one up if
    /// `may_rise` has the bit of their level.
    virtual LevelCounts change_levels(double /*whole*/, int /*lowest*/, std::uint64_t /*may_rise*/)
    {
        return {};
    }

    static Error no_sets() { return Error(Fault::usage, "nested sets: need StoreOptions::nested"); }

    StoreOptions options_;
    Particles* particles_ = nullptr;
};

/// Makes a store in the attached particles' arrays.
std::unique_ptr<ParticleStore> make_host_store(const StoreOptions& options);

/// Makes a store in GPU memory: 150 bytes a particle, 220 with individual steps, 250 in a box; 8
/// more for per-particle softening. Throws Error(device).
std::unique_ptr<ParticleStore> make_device_store(int device, const StoreOptions& options);

} // namespace chamomile
