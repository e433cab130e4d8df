/// \file  The leapfrog with individual steps in powers of two: each rung kicks by its own step.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/periodic.hpp"
#include "integrate/block_levels.hpp"
#include "integrate/integrator.hpp"

namespace chamomile {

struct BlockSteps {
    StepCriterion criterion = StepCriterion::potential;
    double eta = 0.03;
    double shortest = 0; ///< of a particle's step
    double longest = std::numeric_limits<double>::infinity();
    int rungs = 16; ///< 0 to 40: a step is at least the whole / 2^rungs
    /// While a whole step lasts, the tree is built anew for at least this part of the particles;
    /// fewer take the cells of the last one (Solver::keep_tree).
    double rebuild = 0.25;
};

/// What has happened so far.
struct BlockReport {
    struct Rung {
        std::uint64_t particle_steps = 0; ///< kicks over a whole step of this length
        double particle_time = 0;         ///< the sum of these steps
        std::uint64_t evaluations = 0;    ///< of this rung and all below, the longest due
        std::uint64_t targets = 0;        ///< of these evaluations
        // Since the start or restart:
        std::uint64_t timed = 0; ///< of these evaluations
        double seconds = 0;      ///< of theirs
        double moving = 0;       ///< of drifts and kicks before and after them
    };
    std::map<int, Rung> rungs;        ///< k: steps of 2^k up to 2^(k+1)
    std::uint64_t below_shortest = 0; ///< particle steps that should have been shorter
    std::uint64_t deepest = 0;        ///< rung below the whole step that was reached
};

/// Kick-drift-kick with a step for each particle (Quinn et al. 1997, Springel 2005): the whole step
/// divided by a power of two, its rung. All particles drift together from one time at which any are
/// due to the next; those that are due get new accelerations, the second half of their kick, their
/// next rung (any number down, or one up where the longer step begins) and the first half of the
/// next kick. A step is as long as the criterion says of its middle, extrapolated from the last
/// two, so that the rungs of an orbit are the same there and back: steps chosen where they begin
/// lose energy on the way in that they do not win on the way out. At the ends of whole steps all
/// are at one time: there observers look. With one rung it is Leapfrog, bit for bit.
class BlockLeapfrog final : public Integrator {
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
    const BlockReport& report() const { return state_.report; }
    std::uint64_t blocks() const { return block_; } ///< evaluations of the last whole step

private:
    /// What steps change.
    struct State {
        std::vector<double> wish;  ///< for the next step of each particle
        std::vector<double> time;  ///< step by the criterion where its last one ended
        std::vector<double> orbit; ///< DynamicalTime::orbit(), for StepCriterion::potential
        BlockReport report;
    };
    enum class Half { first, second };

    double softening(double time) const { return clock_.softening(time, softening_); }
    bool is_newtonian() const { return &clock_ == &Clock::newtonian(); }

    void move_all(Particles& particles, double length, Quantities quantities, Moment now);
    void kick(Particles& particles, Half half);
    void drift(Particles& particles, Moment now);
    void evaluate_due(Particles& particles, Quantities quantities, Moment now);
    void wish_anew(const Particles& particles);
    double measure(const Particles& particles, Index i, double softening, double elapsed);
    double anticipated(Index i, double now, double last);
    void soften(double time);
    void note_block(double seconds, double moving);

    Solver& solver_;
    BlockSteps steps_;
    const Clock& clock_;
    Periodicity box_;
    double softening_; ///< that the solver was made with
    BlockLevels levels_;
    State state_;
    double GM_ = 0;           ///< of all
    double time_ = 0;         ///< at which wishes are made
    double begin_ = 0;        ///< of the whole step
    std::uint64_t block_ = 0; ///< of the whole step, from 0
    std::vector<Index> due_;
    ForceStatistics statistics_;

    /// Before the whole step that is under way.
    struct {
        std::vector<Vec3<double>> position, velocity, acceleration;
        std::vector<double> potential;
        State state;
    } before_;
};

} // namespace chamomile
