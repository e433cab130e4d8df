/// \file  The kick-drift-kick leapfrog, with shared or individual steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/integrate/integrator.hpp"
#include "chamomile/integrate/light_cone.hpp"
#include "chamomile/integrate/particle_store.hpp"
#include "chamomile/integrate/rungs/block_report.hpp"
#include "chamomile/integrate/rungs/kept_trees.hpp"

namespace chamomile {

class RankStore;

/// Which particles exert the forces of individual steps.
enum class BlockScheme {
    all,         ///< all particles, drifted to each time at which any are due
    hierarchical ///< NestedSets: the due particles of each level among themselves
};

/// Options of individual steps: the whole step divided by powers of two.
struct BlockSteps {
    StepCriterion criterion = StepCriterion::potential;
    double eta = 0.03;
    double shortest = 0; ///< min step of a particle
    double longest = std::numeric_limits<double>::infinity();
    int rungs = 16; ///< 0 to 40: a step is at least the whole / 2^rungs
    /// Min fraction of due particles for which the tree is rebuilt within a whole step. For fewer,
    /// the last tree's cells are kept (Request::keeps_tree). Empty: KeptTrees decides.
    std::optional<double> rebuild = {};
    BlockScheme scheme = BlockScheme::all;
};

/// Where a leapfrog's particles are stored. It does not change results.
enum class Residence {
    host,
    where_solved, ///< the solver's GPU if it takes device arrays and has the memory, else the host
    device        ///< the solver's GPU, or an error
};

/// The leapfrog of Quinn et al. (1997), over a store of particles. Without BlockSteps all particles
/// share one step. With BlockSteps the step of each particle is the whole step divided by a power
/// of two, its rung (Springel 2005). All particles drift together to the next time at which any are
/// due. Due particles then get new accelerations, the second half of their kick, their next rung
/// (any number down, or one up if the longer step begins here), and the first half of the next
/// kick. The criterion at the middle of the next step, extrapolated from the last two, sets its
/// length: the rungs of an orbit are then the same both ways. Steps chosen at their begin lose
/// energy on the way in and do not regain it on the way out. At the ends of whole steps all
/// particles are at one time, and observers are called. With one rung, individual steps match
/// shared steps bitwise.
///
/// With a DistributedSolver each rank has a leapfrog of its local particles, and calls are
/// collective. Throws CollectiveError or PeerFailed then.
///
/// BlockScheme::hierarchical instead kicks by NestedSets, and drifts only due particles. A particle
/// then feels slower particles at their steps, and total momentum is conserved.
///
/// In periodic boxes the long range kicks individual steps only at the ends of whole steps, over
/// half a whole step, and blocks use the short range only (Duncan et al. 1998, Springel 2005): one
/// mesh per whole step.
class Leapfrog final : public Integrator {
public:
    /// Keeps references: solver and clock must outlive it. Wraps positions into the solver's
    /// periodic box, if any, from start() on. Throws Error(usage) for numbers out of range, for a
    /// criterion by softening without softening, for a criterion by potential in a box, and for
    /// Residence::device if the solver takes no device arrays; Error(device) without a GPU.
    Leapfrog(Solver& solver, const TimeStep& step, const Clock& clock = Clock::newtonian(),
             Residence residence = Residence::host);
    Leapfrog(Solver& solver, const BlockSteps& steps, const Clock& clock = Clock::newtonian(),
             Residence residence = Residence::host);

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    /// With individual steps, the length is the power of two at or below the 90th percentile of the
    /// steps wanted, or the longest step allowed. Whole steps thus change only by factors of two
    /// and divide equal intervals equally.
    NextStep next_step(Moment now) override;
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void fetch(Particles& particles) override;
    Diagnostics diagnose(Particles& particles, LagrangianRadii which, double time) override;
    void release_host_copy() override
    {
        has_released_ = true;
        store_->release_host_copy();
    }
    void gather(Particles& particles, std::span<const GlobalIndex> which,
                std::span<PhasePoint> into) override;
    /// Needs individual steps of BlockScheme::all without ranks.
    void after_blocks(std::uint64_t every, BlockObserver observer) override;
    /// Moves the particles to the host. Needs comoving time and a box.
    void record_crossings(LightCone cone) override;
    std::vector<Crossing> take_crossings() override;
    const LightCone* light_cone() const override { return finder_ ? &finder_->cone() : nullptr; }
    void exchange(Archive& archive, Particles& particles) override;
    /// Moves the particles to the host if the field does not consist of formulas.
    void put_into(std::shared_ptr<const ExternalField> field) override;
    Communicator* ranks() override { return solver_.ranks_of_parts(); }
    const Leapfrog* leapfrog() const override { return this; }
    const Clock& clock() const override { return clock_; }
    const SolverOptions& forces() const override { return solver_.options(); }
    std::string device() const override { return solver_.device(); }

    /// Continue from particles and columns of a checkpoint, and exchange the counts. exchange()
    /// calls both.
    void resume(Particles& particles, StepColumns columns);
    void exchange_counts(Archive& archive);
    /// Returns the columns of individual steps, in the order of the caller's particles.
    StepColumns columns() { return store_->columns(); }
    /// Returns the length of a column of individual steps for `count` particles.
    std::size_t rows_of_steps(Column column, std::size_t count) const;
    /// Returns the last of the moving columns in checkpoints.
    Column last_column() const
    {
        return rows_of_steps(Column::long_range, 1) > 0 ? Column::long_range
               : blocks_                                ? Column::orbit
                                                        : Column::potential;
    }

    /// True if particles are stored on a GPU or on ranks: the caller's copy dates from the last
    /// fetch().
    bool is_resident() const { return is_shared() || residence_ != Residence::host; }
    /// Returns the store of this rank; needs a DistributedSolver.
    RankStore& rank_store();

    /// Returns the options of individual steps; empty with a shared step.
    const std::optional<BlockSteps>& block_steps() const { return blocks_; }
    /// True if steps follow StepCriterion::potential.
    bool needs_potentials() const;
    /// True if steps follow a criterion.
    bool varies_steps() const { return blocks_ || step_.kind == TimeStepKind::adaptive; }
    const BlockReport& report() const { return report_; }
    std::uint64_t blocks() const { return block_; } ///< evaluations of the last whole step

private:
    enum class Half { first, second };

    Leapfrog(Solver& solver, const TimeStep& step, const std::optional<BlockSteps>& blocks,
             const Clock& clock, Residence residence);
    void make_store();
    template <class Work>
    auto load_and(Particles& particles, const StepColumns& columns, const Work& work);
    ForceStatistics evaluate_request(Request request, Moment now);
    ForceStatistics evaluate_first(Quantities quantities, Moment now);
    void require_finite_now(Column value, Moment now);
    void move_all(double length, Quantities quantities, Moment now);
    void move_nested(double length, Quantities quantities, Moment now);
    double open_sets(Moment now);
    double close_sets(Quantities quantities, Moment now);
    double evaluate_set(std::size_t set, bool potentials, Moment now);
    ForceStatistics evaluate_block(const Request& request, Moment reached);
    BlockEnd close_block(Moment reached);
    BlockEnd end_block(Moment reached);
    Request request_of_block(Quantities quantities, Moment now);
    void choose_rungs(double length);
    void record_steps();
    void record_block(int exponent, std::uint64_t targets, const ForceStatistics& forces,
                      double seconds, double moving);
    [[noreturn]] void refuse(Moment now);
    double longest_for_long_range(double now);
    double long_range_factor(Half half) const;
    LevelFactors kick_factors(Half half) const;
    double drift_factor() const;
    LevelDrifts drifts_of_levels() const;
    int rung_due() const;
    BlockRule rule(double time) const;

    void set_totals(const Particles& particles);
    void set_softening(const Particles& particles);
    void exchange_columns(Archive& archive, Particles& particles);
    void exchange_scheme(Archive& archive) const;
    bool is_shared() const { return solver_.ranks_of_parts() != nullptr; }
    Communicator& all_ranks();
    /// Runs collective work; an error on a single rank ends every rank.
    template <class Work>
    void run_and_agree(const Work& work)
    {
        is_shared() ? known_to_all(*ranks(), work) : work();
    }
    double softening(double time) const { return clock_.softening(time, softening_); }
    bool is_nested() const { return blocks_ && blocks_->scheme == BlockScheme::hierarchical; }
    /// True if the long range kicks over whole steps, and blocks use the short range only.
    bool splits_forces() const
    {
        return blocks_ && forces().is_periodic() && forces().solver == SolverKind::tree;
    }

    Solver& solver_;
    TimeStep step_;                    ///< shared, without blocks_
    std::optional<BlockSteps> blocks_; ///< individual steps
    const Clock& clock_;
    double softening_; ///< the max length, before the clock changes it
    Residence residence_;
    std::unique_ptr<ParticleStore> store_;
    bool has_released_ = false; ///< release_host_copy(), also of a later store
    double GM_ = 0;             ///< total

    BlockLevels levels_;
    double begin_ = 0;        ///< of the whole step
    std::uint64_t block_ = 0; ///< in the whole step, from 0
    std::size_t count_ = 0;   ///< particles on all ranks
    ForceStatistics statistics_;
    BlockReport report_;
    KeptTrees kept_trees_;
    std::optional<CrossingFinder> finder_; ///< on the local particles
};

} // namespace chamomile
