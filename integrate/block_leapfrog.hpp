/// \file  The leapfrog with individual steps in powers of two: each rung kicks by its own step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "chamomile/core/periodic.hpp"
#include "chamomile/integrate/block_levels.hpp"
#include "chamomile/integrate/block_report.hpp"
#include "chamomile/integrate/block_rule.hpp"
#include "chamomile/integrate/integrator.hpp"
#include "chamomile/integrate/kept_trees.hpp"

namespace chamomile {

struct BlockSteps {
    StepCriterion criterion = StepCriterion::potential;
    double eta = 0.03;
    double shortest = 0; ///< of a particle's step
    double longest = std::numeric_limits<double>::infinity();
    int rungs = 16; ///< 0 to 40: a step is at least the whole / 2^rungs
    /// While a whole step lasts, the tree is built anew for at least this part of the particles;
    /// fewer take the cells of the last one (Request::keeps_tree). Without a number KeptTrees
    /// choose.
    std::optional<double> rebuild = {};
};

/// Kick-drift-kick with a step for each particle (Quinn et al. 1997, Springel 2005): the whole step
/// divided by a power of two, its rung. All particles drift together from one time at which any are
/// due to the next; those that are due get new accelerations, the second half of their kick, their
/// next rung (any number down, or one up where the longer step begins) and the first half of the
/// next kick. A step is as long as the criterion says of its middle, extrapolated from the last
/// two, so that the rungs of an orbit are the same there and back: steps chosen where they begin
/// lose energy on the way in that they do not win on the way out. At the ends of whole steps all
/// are at one time: there observers look. With one rung it is Leapfrog, bit for bit.
/// In periodic boxes the long range kicks at the ends of whole steps, over half of one, and blocks
/// have the short range alone (Duncan et al. 1998, Springel 2005): a mesh for each whole step.
class BlockLeapfrog : public Integrator {
public:
    /// Keeps references: solver and clock must outlive it. Positions stay in the solver's periodic
    /// box, if it has one. Throws Error(usage) for numbers out of range, or the criterion of the
    /// softening without one.
    BlockLeapfrog(Solver& solver, const BlockSteps& steps, const Clock& clock = Clock::newtonian());

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    /// The power of two that nine particles of ten ask for or less, or the longest; so that whole
    /// steps change by factors of two alone and divide equal intervals equally.
    Wish next_step(const Particles& particles, Moment now) override;
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void exchange(Archive& archive, Particles& particles) override;
    const Clock& clock() const override { return clock_; }
    const SolverOptions& forces() const override { return solver_.options(); }
    std::string device() const override { return solver_.device(); }

    const BlockSteps& steps() const { return steps_; }
    const BlockReport& report() const { return report_; }
    std::uint64_t blocks() const { return block_; } ///< evaluations of the last whole step

protected:
    /// What steps change.
    struct State {
        std::vector<double> wish;  ///< for the next step of each particle
        std::vector<double> time;  ///< step by the criterion where its last one ended
        std::vector<double> orbit; ///< DynamicalTime::orbit(), for StepCriterion::potential
    };
    /// Wishes by their powers of two; numbers below 2^-1022 count as that.
    struct Wishes {
        static constexpr int lowest = -1023, size = 2048;
        std::vector<std::uint64_t> count = std::vector<std::uint64_t>(size);
        double shortest = std::numeric_limits<double>::infinity();

        CHAMOMILE_HD static int exponent(double wish)
        {
            if (!(wish < HUGE_VAL))
                return size - 1;
            const int exponent = ilogb(wish);
            return (exponent < lowest ? lowest : exponent) - lowest;
        }
    };
    enum class Half { first, second };
    using Factors = std::array<double, BlockLevels::deepest + 1>; ///< by level

    // What is done to particles, wherever they are:
    virtual Wishes count_wishes();
    virtual void keep(Particles& particles);    ///< the state before a whole step
    virtual void restore(Particles& particles); ///< that state, if it is not lost
    /// Begins a whole step: all are due, and have the levels of their wishes.
    virtual void place(const Particles& particles, double length);
    virtual void kick(Particles& particles, Half half);
    virtual void advance(); ///< to the next time at which any are due
    virtual void drift(Particles& particles, Moment now);
    virtual ForceStatistics evaluate_due(Particles& particles, Quantities quantities, Moment now);
    /// Of those that are due; how many wish a shorter step than there is.
    virtual std::uint64_t wish_anew(const Particles& particles);
    virtual void change(); ///< the levels of those that are due, by their wishes
    virtual void kick_by_long_range(Particles& particles, double factor);
    /// Leaves the short range in particles.acceleration, or adds the long range to it.
    virtual void take_long_range_off(Particles& particles);
    virtual void add_long_range(Particles& particles);
    virtual double sum_of_squared_velocities(const Particles& particles);

    /// Whether the long range kicks over whole steps, and only the short range in blocks.
    bool splits_forces() const
    {
        return forces().is_periodic() && forces().solver == SolverKind::tree;
    }

    bool needs_potentials() const { return steps_.criterion == StepCriterion::potential; }
    double softening(double time) const { return clock_.softening(time, softening_); }
    BlockRule rule(double time) const;
    Factors factors(Half half) const;
    double drift_factor() const;
    double floor(double length) const
    {
        return std::max(steps_.shortest, std::ldexp(length, -steps_.rungs));
    }
    /// What the evaluation to come in a whole step is beside its particles.
    void describe(Request& request, Moment now) const;
    void put_long_range_apart(Request& request);

    Solver& solver_;
    BlockSteps steps_;
    const Clock& clock_;
    Periodicity box_;
    BlockLevels levels_;
    State state_;
    double begin_ = 0; ///< of the whole step
    std::vector<Index> due_;
    std::vector<Vec3<double>> long_range_; ///< accelerations of the ends of whole steps
    ForceStatistics statistics_;

private:
    void move_all(Particles& particles, double length, Quantities quantities, Moment now);
    double measure(const BlockRule& rule, const Particles& particles, Index i, double elapsed);
    ForceStatistics evaluate_all(Particles& particles, Quantities quantities, Moment now);
    double long_range_factor(Half half) const; ///< of that half of the whole step
    /// In which particles move by no more than a quarter of r_s, in the mean.
    double longest_for_long_range(const Particles& particles, double now);
    /// 2^rung is the longest step of those that are due.
    int rung_due() const;
    void note_block(const ForceStatistics& forces, double seconds, double moving);

    bool is_split_ = false;   ///< particles' accelerations are those of the short range
    double softening_;        ///< that the solver was made with
    double GM_ = 0;           ///< of all
    std::uint64_t block_ = 0; ///< of the whole step, from 0
    BlockReport report_;
    KeptTrees kept_trees_;

    /// Before the whole step that is under way.
    struct {
        std::vector<Vec3<double>> position, velocity, acceleration;
        std::vector<double> potential;
        State state;
        std::vector<Vec3<double>> long_range;
        BlockReport report;
        std::optional<KeptTrees> kept_trees;
    } before_;
};

} // namespace chamomile
