/// \file  The fourth-order Hermite scheme with shared or blocked individual steps.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "chamomile/force/pairs/jerk_solver.hpp"
#include "chamomile/integrate/hermite_step.hpp"
#include "chamomile/integrate/integrator.hpp"
#include "chamomile/integrate/measures/encounters.hpp"
#include "chamomile/integrate/rungs/block_levels.hpp"

namespace chamomile {

enum class StepSharing {
    shared, ///< all particles take the shortest step of any, or a fixed one
    blocks  ///< individual steps: a whole step divided by powers of two
};

enum class LastEvaluation {
    before_correction, ///< P(EC)^n: n evaluations for a step
    after_correction   ///< P(EC)^n E: one more
};

enum class BelowShortest {
    refuse, ///< throws an Error that names the pair
    count   ///< takes and counts steps of the shortest length
};

struct HermiteOptions {
    StepSharing sharing = StepSharing::blocks;
    double fixed_length = 0; ///< of shared steps; 0: steps follow eta
    double eta = 0.01, eta_start = 0.01;
    int iterations = 1; ///< n, 1 to 10
    LastEvaluation last_evaluation = LastEvaluation::before_correction;
    /// The shortest step allowed. 0: 2^-40 of the 90th percentile of the first steps.
    double shortest = 0;
    double longest = std::numeric_limits<double>::infinity();
    BelowShortest below_shortest = BelowShortest::refuse;
};

/// Counts since the start.
struct HermiteReport {
    std::uint64_t blocks = 0;                       ///< sets of particles moved together
    std::uint64_t particle_steps = 0;               ///< the sum of their sizes
    std::map<int, std::uint64_t> steps_by_exponent; ///< k: steps of 2^k up to 2^(k+1)
    std::uint64_t below_shortest = 0;               ///< particle steps wanted below the limit
    double shortest = 0;                            ///< the limit in use
    ClosePair closest;
};

/// Hermite's scheme, P(EC)^n, with Aarseth's step (Makino & Aarseth 1992; Nitadori & Makino 2008).
/// With blocks, a step of the simulation is a whole step, after which all particles are at one
/// time. Its length is the 90th percentile of the particles' steps, at most 8192 times the shortest
/// step, and it ends on the times requested. Each block within it predicts all particles, and
/// evaluates and corrects the due ones.
///
/// Per-particle softening (Particles::softening) is constant from the start.
///
/// A close pair without softening takes ever shorter steps, until they fall below the limit; there
/// is no regularization.
class Hermite final : public Integrator {
public:
    /// Keeps a reference: the solver must outlive it. Throws Error(usage) for options out of range.
    Hermite(JerkSolver& solver, const HermiteOptions& options);

    /// Throws Error(input) naming two particles that coincide without softening.
    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override;
    NextStep next_step(Moment now) override;
    /// Throws Error(numeric) naming particles that are too close for the shortest step.
    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override;
    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override;
    void gather(Particles& particles, std::span<const GlobalIndex> which,
                std::span<PhasePoint> into) override;
    /// Needs StepSharing::blocks.
    void after_blocks(std::uint64_t every, BlockObserver observer) override;
    void exchange(Archive& archive, Particles& particles) override;
    void put_into(std::shared_ptr<const ExternalField> field) override;
    const SolverOptions& forces() const override { return solver_.options(); }
    std::string device() const override { return solver_.device(); }

    const HermiteOptions& options() const { return options_; }
    HermiteReport report() const;

    void record_passages(double distance) override { passage_distance_ = distance; }
    std::span<const Passage> passages() const override { return state_.encounters.passages(); }

private:
    ForceStatistics sum_forces(const Particles& particles, double time);
    double usual_time_step() const;
    void place_particles(double length);
    void move_block(Particles& particles, Moment now);
    void predict_all(const Particles& particles, Moment now);
    void evaluate_block(const Particles& particles, Moment now);
    void end_step(const Particles& particles, std::size_t k, Moment now);
    void copy_to(Particles& particles) const;
    void require_sums(const Particles& particles, Moment now) const;
    [[noreturn]] void refuse_step(const Particles& particles, Index i, Moment now) const;

    /// The state between steps.
    struct State {
        std::vector<Motion> motion;            ///< of each particle at its last time
        std::vector<double> time_step, length; ///< next step, and last step
        double shared_length = 0;              ///< of the last shared step
        Encounters encounters;
        HermiteReport report;
    };
    void move_all(Particles& particles, double length, Moment now);

    JerkSolver& solver_;
    HermiteOptions options_;
    double passage_distance_ = 0;       ///< 0: passages are not recorded
    State state_, before_;              ///< now, and before the current step
    std::vector<MovingSource> sources_; ///< at the time of the block
    bool is_within_step_ = false;       ///< gather() then reads sources_
    BlockLevels levels_;
    std::vector<Index> active_;
    std::vector<JerkSum> sums_;
    std::vector<Motion> ends_; ///< at the ends of the block's steps
    ForceStatistics statistics_;
    double force_seconds_ = 0;
};

} // namespace chamomile
