/// \file  The kick-drift-kick leapfrog, in steps that all particles share or in individual ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "chamomile/core/particles.hpp"
#include "chamomile/integrate/integrator.hpp"
#include "chamomile/integrate/particle_store.hpp"
#include "chamomile/integrate/rungs/block_report.hpp"
#include "chamomile/integrate/rungs/kept_trees.hpp"

namespace chamomile {

class RankStore;

/// Kicks all particles: v += dt a.
void kick(Particles& particles, double dt);

/// Drifts all particles: x += dt v.
void drift(Particles& particles, double dt);

/// Takes one step of length dt: half a kick, a drift, new accelerations by `evaluate()`, half a
/// kick. It is of second order, symplectic and reversible for a constant dt (Quinn et al. 1997).
/// The accelerations must belong to the positions, and do so again afterwards.
template <class Evaluate>
void kick_drift_kick(Particles& particles, double dt, Evaluate&& evaluate)
{
    kick(particles, dt / 2);
    drift(particles, dt);
    evaluate();
    kick(particles, dt / 2);
}

/// BlockSteps are individual steps: each particle's own, the whole step divided by a power of two.
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

/// Residence says where the particles of a leapfrog live. It changes no bit.
enum class Residence {
    host,
    where_solved, ///< the solver's GPU, if it takes arrays there and has the memory
    device        ///< the solver's GPU, or an error
};

/// Leapfrog is that of Quinn et al. (1997), over a store of particles. Without BlockSteps all share
/// one step. With them the step of each particle is the whole step divided by a power of two, its
/// rung (Springel 2005): all particles drift together from one time at which any are due to the
/// next; those that are due get new accelerations, the second half of their kick, their next rung
/// (any number down, or one up where the longer step begins) and the first half of the next kick. A
/// step is as long as the criterion says of its middle, extrapolated from the last two, so that the
/// rungs of an orbit are the same there and back: steps chosen where they begin lose energy on the
/// way in that they do not win on the way out. At the ends of whole steps all are at one time:
/// there observers look. With one rung individual steps are shared ones, bit for bit.
///
/// With a DistributedSolver each rank has a leapfrog of its own particles, and calls are
/// collective. Throws Agreed or PeerFailed then.
///
/// In periodic boxes the long range kicks individual steps at the ends of whole steps, over half of
/// one, and blocks have the short range alone (Duncan et al. 1998, Springel 2005): a mesh for each
/// whole step.
class Leapfrog final : public Integrator {
public:
    /// Keeps references: solver and clock must outlive it. Positions stay in the solver's periodic
    /// box, if it has one. Throws Error(usage) for numbers out of range, for a criterion of the
    /// softening without one, for one of the potential in a box, and for Residence::device of a
    /// solver that takes no arrays there; Error(device) if there is no GPU.
    Leapfrog(Solver& solver, const TimeStep& step, const Clock& clock = Clock::newtonian(),
             Residence residence = Residence::host);
    Leapfrog(Solver& solver, const BlockSteps& steps, const Clock& clock = Clock::newtonian(),
             Residence residence = Residence::host);

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    /// A whole step of individual steps is the power of two that nine particles of ten ask for or
    /// less, or the longest; so that whole steps change by factors of two alone and divide equal
    /// intervals equally.
    NextStep next_step(Moment now) override;
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void fetch(Particles& particles) override;
    Diagnostics diagnose(Particles& particles, LagrangianRadii which, double time) override;
    void keep_alone() override { store_->keep_alone(); }
    void gather(Particles& particles, std::span<const Index> which, const Vec3<double>& origin,
                std::span<MovingPoint> into) override;
    void exchange(Archive& archive, Particles& particles) override;
    /// Where it is not of formulas alone the particles live on the host.
    void put_into(std::shared_ptr<const ExternalField> field) override;
    Communicator* ranks() override { return solver_.ranks_of_parts(); }
    const Leapfrog* leapfrog() const override { return this; }
    const Clock& clock() const override { return clock_; }
    const SolverOptions& forces() const override { return solver_.options(); }
    std::string device() const override { return solver_.device(); }

    /// Continue from particles and columns of a checkpoint, and exchange its counts: exchange()
    /// does both.
    void resume(Particles& particles, StepColumns columns);
    void exchange_counts(Archive& archive);
    /// Returns the columns of individual steps, in the order of the caller's particles.
    StepColumns columns() { return store_->columns(); }
    /// Returns the length of a column of individual steps for `count` particles.
    std::size_t rows_of_steps(Column column, std::size_t count) const;

    /// Tells whether the particles live on a GPU or on ranks, so that the caller's are those of the
    /// last fetch().
    bool is_resident() const { return is_shared() || residence_ != Residence::host; }
    /// Returns the store of this rank; needs a DistributedSolver.
    RankStore& rank_store();

    /// Returns the individual steps; none where all particles share one.
    const std::optional<BlockSteps>& block_steps() const { return blocks_; }
    /// Returns whether steps go by StepCriterion::potential.
    bool needs_potentials() const;
    const BlockReport& report() const { return report_; }
    std::uint64_t blocks() const { return block_; } ///< evaluations of the last whole step

private:
    enum class Half { first, second };

    Leapfrog(Solver& solver, const TimeStep& step, const std::optional<BlockSteps>& blocks,
             const Clock& clock, Residence residence);
    void make_store();
    double GM(double time) const;
    void fill_store(Particles& particles, const StepColumns& columns);
    ForceStatistics evaluate_request(Request request, Moment now);
    ForceStatistics start_on_ranks(Particles& particles, Quantities quantities, Moment now);
    void require_finite_now(Column value, Moment now);
    void move_all(double length, Quantities quantities, Moment now);
    ForceStatistics evaluate_block(Quantities quantities, Moment now, Moment reached);
    BlockEnd end_block(Moment reached);
    Request request_of_block(Quantities quantities, Moment now);
    void choose_rungs(double length);
    void note_block(const ForceStatistics& forces, double seconds, double moving);
    [[noreturn]] void refuse(Moment now);
    double longest_for_long_range(double now);
    double long_range_factor(Half half) const;
    LevelFactors kick_factors(Half half) const;
    double drift_factor() const;
    int rung_due() const;
    BlockRule rule(double time) const;

    void take_totals(const Particles& particles);
    void take_softening(const Particles& particles);
    void exchange_columns(Archive& archive, Particles& particles);
    bool is_shared() const { return solver_.ranks_of_parts() != nullptr; }
    Communicator& all_ranks();
    template <class Work>
    void together(const Work& work);
    double softening(double time) const { return clock_.softening(time, softening_); }
    /// Tells whether the long range kicks over whole steps, and only the short range in blocks.
    bool splits_forces() const
    {
        return blocks_ && forces().is_periodic() && forces().solver == SolverKind::tree;
    }

    Solver& solver_;
    TimeStep step_;                    ///< that all share, without blocks_
    std::optional<BlockSteps> blocks_; ///< individual steps
    const Clock& clock_;
    double softening_; ///< that the solver was made with
    Residence residence_;
    std::unique_ptr<ParticleStore> store_;
    double GM_ = 0; ///< of all

    BlockLevels levels_;
    double begin_ = 0;        ///< of the whole step
    std::uint64_t block_ = 0; ///< of the whole step, from 0
    std::size_t count_ = 0;   ///< of the particles of all ranks
    ForceStatistics statistics_;
    BlockReport report_;
    KeptTrees kept_trees_;
};

} // namespace chamomile
