/// \file  The particles of a leapfrog, where they live: in the caller's arrays, in a GPU's, or on
/// the rank of their domain.
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

#include "chamomile/core/moving_point.hpp"
#include "chamomile/core/particle_rows.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/ranks/rank_subset.hpp"
#include "chamomile/integrate/rungs/block_levels.hpp"
#include "chamomile/integrate/rungs/block_rule.hpp"

namespace chamomile {

/// LevelCounts hold the number of particles on each level, LevelFactors what the kicks of each
/// level multiply accelerations with.
using LevelCounts = std::array<std::uint64_t, BlockLevels::deepest + 1>;
using LevelFactors = std::array<double, BlockLevels::deepest + 1>;

/// StepColumns are what individual steps keep of each particle beside its motion.
struct StepColumns {
    std::vector<double> step;     ///< that the particle asks for next
    std::vector<double> measured; ///< step by the criterion where the particle's last one ended
    std::vector<double> orbit;    ///< DynamicalTime::orbit(), of StepCriterion::potential alone
    std::vector<Vec3<double>> long_range; ///< accelerations by the long range where it kicks alone
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

/// StoreOptions say what a store keeps of each particle beside its motion.
struct StoreOptions {
    bool individual = false; ///< StepColumns and a level; otherwise every particle has level 0
    bool potentials = false; ///< the potentials, because the step criterion reads them
    bool long_range = false; ///< the long range apart, because it kicks over whole steps
    Periodicity box = {};    ///< to which drifts bring positions back
};

/// StepCounts count the particles by the step that they ask for.
struct StepCounts {
    static constexpr int lowest = -1023, size = 2048;
    /// Entry k holds the steps from 2^(k + lowest) up to twice that; the last one those without
    /// end.
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

/// KickAndDrift is the first half of a step: a kick of the particles that are due, by their level,
/// and a drift of all.
struct KickAndDrift {
    LevelFactors kick;
    double drift = 0;
    /// Where set, velocities first get this factor times the long range, and accelerations lose it:
    /// a whole step begins, within which the short range acts alone.
    std::optional<double> long_range_kick = {};
    std::optional<FrameTurn> turn = {}; ///< while the particles drift, of a rotating frame
};

/// NextLevels choose the next individual steps at the end of a block.
struct NextLevels {
    BlockRule rule;
    double whole;
    int lowest;
    /// Due particles change level: any number down, or one up if the bit of their level is set.
    /// None: the whole step has ended.
    std::optional<std::uint64_t> may_rise = {};
};

/// BlockEnd is the result of a block.
struct BlockEnd {
    bool is_finite = true;            ///< accelerations; true for solvers on a GPU
    std::uint64_t below_shortest = 0; ///< particles below the shortest step
    LevelCounts levels = {};          ///< with NextLevels::may_rise
};

/// A ParticleStore owns what a leapfrog moves: positions, velocities, accelerations and the columns
/// of its options. The arithmetic of every store is the same, bit for bit. All members of a store
/// on a GPU throw Error(device), and of one of a rank PeerFailed; after that its state may be lost,
/// which later calls say.
class ParticleStore {
public:
    explicit ParticleStore(const StoreOptions& options) : options_(options) {}
    virtual ~ParticleStore() = default;

    /// Names the host's particles, which must outlive the calls that follow.
    void attach(Particles& particles) { particles_ = &particles; }
    Particles& particles() const { return *particles_; }

    /// Takes the state of the attached particles, and columns; zeros for those that are empty.
    virtual void load(StepColumns columns) = 0;
    /// Makes the attached particles those of now; potentials where the last request had them.
    virtual void fetch() = 0;
    /// Makes points of some particles of now, as gather_points() does, without a fetch().
    virtual void gather(std::span<const Index> which, const Vec3<double>& origin,
                        std::span<MovingPoint> into)
    {
        gather_points(*particles_, which, origin, into);
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
    /// Returns the rows of the particles of now, with their potentials, for measures of all, which
    /// are made where they live; null where a fetch() has to come before.
    virtual ParticleRows* rows_to_measure() { return nullptr; }
    /// Lets a RankStore free moving columns of the attached particles, until fetch() and at each
    /// step.
    virtual void keep_alone() {}

    /// The particles that are due from now on are those of level `first` or above, `count` in all:
    /// fewer than there are, or all of them.
    virtual void set_due(int first, std::uint64_t count) = 0;
    /// Returns a request of the accelerations, and potentials, of the particles that are due.
    virtual Request request(bool potentials) = 0;
    /// Returns a request for accelerations and potentials of all particles, in arrays of here().
    virtual Request request_here()
    {
        return request_of(here(), Quantities::acceleration_potential);
    }
    /// Adds accelerations, and potentials where the last request had them, by the external field at
    /// that time to those of the particles that are due. A store on a GPU or
    /// on ranks takes fields of formulas alone.
    virtual void add_external(const ExternalField& field, double time) = 0;
    /// Returns zeros where the next evaluation puts the accelerations by the long range.
    virtual ArrayView clear_long_range() = 0;
    /// Adds the long range to accelerations and, times that factor, to velocities.
    virtual void add_long_range(double kick) = 0;

    /// Keeps the present state for restore(), before the first kick_and_drift() of a whole step.
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
    /// Returns whether all positions are finite.
    virtual bool has_finite_positions() = 0;

    /// Gives every particle the level of the step that it asks for in a whole step of that length.
    virtual LevelCounts place(double whole, int lowest) = 0;

    /// Measures the first steps of all particles.
    virtual void choose_first_steps(const BlockRule& rule) = 0;
    virtual StepCounts count_steps() = 0;

    /// Returns the shortest dynamical time of all; infinity where nothing pulls.
    virtual double shortest_time(const DynamicalTime& dynamical) = 0;
    virtual double sum_of_squared_velocities() = 0;

protected:
    /// Kicks the particles that are due. Returns false if an acceleration was not finite.
    virtual bool kick(const LevelFactors&) { return true; }
    /// Measures the next steps of the particles that are due and have ended one; returns how many
    /// ask for less than the shortest, whole / 2^lowest.
    virtual std::uint64_t choose_steps(const BlockRule&, double /*whole*/, int /*lowest*/)
    {
        return 0;
    }
    /// Gives the particles that are due the level of the step that they ask for: any number of
    /// levels down, or one up where `may_rise` has the bit of their level.
    virtual LevelCounts change_levels(double /*whole*/, int /*lowest*/, std::uint64_t /*may_rise*/)
    {
        return {};
    }

    StoreOptions options_;
    Particles* particles_ = nullptr;
};

/// Makes a store that works in the attached particles' own arrays.
std::unique_ptr<ParticleStore> make_host_store(const StoreOptions& options);

/// Makes a store in that GPU's memory: 150 bytes a particle, with individual steps 220, in a box
/// 250; softening lengths of their own take 8 more. Throws Error(device).
std::unique_ptr<ParticleStore> make_device_store(int device, const StoreOptions& options);

} // namespace chamomile
