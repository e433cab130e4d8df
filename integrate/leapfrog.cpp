// Each block: half kick, drift of all particles, forces of due particles, half kick, next rungs.
#include "chamomile/integrate/leapfrog.hpp"

#include <cassert>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/solver_state.hpp"
#include "chamomile/force/periodic/long_range_field.hpp"
#include "chamomile/integrate/ranks/rank_store.hpp"
#include "chamomile/integrate/step_checks.hpp"

namespace chamomile {

Leapfrog::Leapfrog(Solver& solver, const TimeStep& step, const Clock& clock, Residence residence)
    : Leapfrog(solver, step, std::nullopt, clock, residence)
{}

Leapfrog::Leapfrog(Solver& solver, const BlockSteps& steps, const Clock& clock, Residence residence)
    : Leapfrog(solver, {}, steps, clock, residence)
{}

Leapfrog::Leapfrog(Solver& solver, const TimeStep& step, const std::optional<BlockSteps>& blocks,
                   const Clock& clock, Residence residence)
    : solver_(solver), step_(step), blocks_(blocks), clock_(clock),
      softening_(solver.options().softening.length), residence_(residence),
      kept_trees_(solver.options().device == "cpu" ? 40 : 300)
{
    if (blocks_)
        require_valid(*blocks_, solver.options());
    else
        require_valid(step_, solver.options());
    if (!solver.takes_device_arrays()) {
        if (residence_ == Residence::device && forces().device == "cpu")
            throw Error(Fault::device,
                        "resident: needs a GPU: " +
                            (why_no_gpu().empty() ? "the device is cpu" : why_no_gpu()));
        if (residence_ == Residence::device)
            throw Error(Fault::usage, "resident: needs a solver that accepts arrays on the GPU");
        residence_ = Residence::host;
    }
    make_store();
}

/// Returns the solver's ranks, or a communicator of one rank.
Communicator& Leapfrog::all_ranks()
{
    thread_local Communicator alone;
    return is_shared() ? *ranks() : alone;
}

void Leapfrog::make_store()
{
    const StoreOptions options{.individual = blocks_.has_value(),
                               .potentials = needs_potentials(),
                               .long_range = splits_forces(),
                               .nested = is_nested(),
                               .box = {forces().box}};
    store_ = residence_ == Residence::host
                 ? make_host_store(options)
                 : make_device_store(first_gpu(solver_.array_device()), options);
    if (is_shared())
        store_ = std::make_unique<RankStore>(*ranks(), options, std::move(store_),
                                             forces().device == "cpu",
                                             forces().solver == SolverKind::tree);
    if (has_released_)
        store_->release_host_copy();
}

RankStore& Leapfrog::rank_store()
{
    assert(is_shared());
    return static_cast<RankStore&>(*store_);
}

void Leapfrog::put_into(std::shared_ptr<const ExternalField> field)
{
    if (field)
        require(refusal(*field, {.in_box = forces().is_periodic() || !clock_.is_newtonian(),
                                 .without_softening = varies_steps() && !is_softened(forces()),
                                 .on_device = residence_ == Residence::device}));
    if (field && !field->has_formulas() && residence_ != Residence::host) {
        residence_ = Residence::host;
        make_store();
    }
    Integrator::put_into(std::move(field));
}

bool Leapfrog::needs_potentials() const
{
    return blocks_ ? blocks_->criterion == StepCriterion::potential
                   : step_.kind == TimeStepKind::adaptive &&
                         step_.criterion == StepCriterion::potential;
}

/// Throws Error(numeric) naming the first particle with a value that is not finite.
void Leapfrog::require_finite_now(Column value, Moment now)
{
    const Particles& here = store_->here();
    require_finite(here, store_->part(all_ranks()),
                   value == Column::position ? here.position : here.acceleration,
                   value == Column::position ? "position" : "acceleration",
                   {now.step, clock_.file_time(now.time)});
}

/// Evaluates a request at this moment.
ForceStatistics Leapfrog::evaluate_request(Request request, Moment now)
{
    request.number = now.step;
    request.softening_length = softening(now.time);
    SolverState state(solver_);
    const ForceStatistics statistics = solver_.evaluate(request);
    state.accept();
    return statistics;
}

ForceStatistics Leapfrog::evaluate(Particles& particles, Quantities, Moment now)
{
    store_->attach(particles);
    if (is_shared() && count_ == 0) { // before start(), for this evaluation
        resume(particles, {});
        count_ = 0;
    }
    Request request = store_->request_here();
    std::vector<Vec3<double>> acceleration(request.count); // steps continue with the old
                                                           // accelerations
    request.acceleration = view_of(std::span(acceleration));
    const ForceStatistics statistics = evaluate_request(request, now);
    Particles& here = store_->here();
    if (field_)
        field_->add(now.time, here.position, {}, acceleration, here.potential);
    return statistics;
}

void Leapfrog::fetch(Particles& particles)
{
    store_->attach(particles);
    store_->fetch();
}

Diagnostics Leapfrog::diagnose(Particles& particles, LagrangianRadii which, double time)
{
    store_->attach(particles);
    ParticleReader* const elsewhere = store_->rows_to_measure();
    const Particles& here = elsewhere ? store_->fixed_columns() : store_->here();
    RowsInMemory in_memory(here);
    return chamomile::diagnose(
        {here, elsewhere ? *elsewhere : in_memory, store_->part(all_ranks())}, which,
        {field(), time});
}

Integrator::NextStep Leapfrog::next_step(Moment now)
{
    if (!blocks_) {
        if (step_.kind == TimeStepKind::fixed)
            return {step_.length, step_.kind};
        const DynamicalTime dynamical{softening(now.time), step_.criterion, GM_};
        if (field_)
            store_->measure_external(*field_, now.time);
        return {adaptive_time_step(store_->shortest_time(dynamical), step_, clock_, now.time),
                step_.kind};
    }
    double longest = std::min(blocks_->longest, clock_.longest_step(now.time));
    if (splits_forces())
        longest = std::min(longest, longest_for_long_range(now.time));
    const StepCounts asked = store_->count_steps();
    const std::vector<std::uint64_t>& count = asked.count;
    // Nine of ten particles ask for this length or less, at least one. Hierarchical: at most a
    // third ask for less. For the n sources of a longer step, and n' that ask for less than this,
    // 1.5 n' more evaluations would replace n.
    const std::size_t max = is_nested() ? count_ / 3 + 1 : count_ - count_ / 10;
    std::size_t k = 0;
    for (std::uint64_t sum = count[0]; sum < max && k + 1 < count.size();)
        sum += count[++k];
    double length = k + 1 < count.size() ? std::ldexp(1.0, int(k) + StepCounts::lowest)
                                         : std::numeric_limits<double>::infinity();
    length = std::min(length, longest);
    // Bounds the length so that the shortest step wanted is a rung.
    const double deepest = std::max(asked.shortest, blocks_->shortest);
    if (length > std::ldexp(deepest, blocks_->rungs))
        length = std::ldexp(1.0, std::ilogb(std::ldexp(deepest, blocks_->rungs)));
    return {std::max(length, blocks_->shortest), TimeStepKind::adaptive};
}

/// Returns a step length in which particles move, in the rms, by at most a quarter of r_s.
double Leapfrog::longest_for_long_range(double now)
{
    constexpr double part = 0.25, short_while = 1. / 1024;
    ExactSums<double> squares;
    store_->add_squared_velocities(squares);
    const double moved =
        std::sqrt(squares.value() / double(count_)) * clock_.drift(now, now + short_while);
    if (!(moved > 0))
        return std::numeric_limits<double>::infinity();
    // A power of two, so that whole steps change only by factors of two.
    const double split =
        split_radius(with_mesh(forces().periodic, forces().box, count_), forces().box);
    return std::exp2(std::floor(std::log2(short_while * part * split / moved)));
}

ForceStatistics Leapfrog::step(Particles& particles, double length, Quantities quantities,
                               Moment now)
{
    store_->attach(particles);
    const BlockReport report = report_;
    const KeptTrees kept_trees = kept_trees_;
    SolverState state(solver_);
    statistics_ = {};
    run_and_agree([&] { store_->begin_step(); });
    if (finder_)
        finder_->begin_step();
    try {
        run_and_agree([&] {
            is_nested() ? move_nested(length, quantities, now) : move_all(length, quantities, now);
            state.accept();
        });
    } catch (...) {
        report_ = report;
        kept_trees_ = kept_trees;
        if (finder_)
            finder_->undo_step();
        try {
            store_->restore();
            store_->fetch();
        } catch (const Error&) { // the device is lost: the host has the last fetch
        }
        throw;
    }
    return statistics_;
}

void Leapfrog::move_all(double length, Quantities quantities, Moment now)
{
    double start = wall_clock_seconds();
    begin_ = now.time;
    block_ = 0;
    kept_trees_.begin();
    choose_rungs(length);
    double integration = 0;
    while (!levels_.at_end()) {
        KickAndDrift move{.kick = kick_factors(Half::first)};
        if (block_ == 0 && splits_forces())
            move.long_range_kick = long_range_factor(Half::first);
        levels_.advance();
        move.drift = drift_factor();
        if (field_)
            move.turn = field_->turn(levels_.stride());
        if (finder_ && finder_->begin_drift(clock_.file_time(begin_ + levels_.elapsed())))
            move.crossings = &*finder_;
        store_->kick_and_drift(move);
        if (!levels_.at_end())
            see_block(block_, begin_ + levels_.elapsed());
        store_->set_due(levels_.longest_due(), levels_.due_count());

        const Moment reached{now.step, begin_ + levels_.elapsed()};
        const double moved = wall_clock_seconds();
        const ForceStatistics forces = evaluate_block(request_of_block(quantities, now), reached);
        add(statistics_, forces);
        const double evaluated = wall_clock_seconds();

        const BlockEnd end = close_block(reached);
        const double moving = moved - start + wall_clock_seconds() - evaluated;
        if (blocks_) {
            kept_trees_.note(rung_due(), levels_.elapsed(), forces, count_);
            record_steps();
            record_block(rung_due(), levels_.due_count(), forces, evaluated - moved, moving);
        }
        integration += moving;
        start = wall_clock_seconds();
        if (!levels_.at_end())
            levels_.set_counts(end.levels);
        ++block_;
    }
    statistics_.profile.add(integration_phase, integration);
}

/// Evaluates the forces of a block. Throws Error(numeric) naming the first particle with a position
/// that is not finite.
ForceStatistics Leapfrog::evaluate_block(const Request& request, Moment reached)
{
    ForceStatistics forces;
    try {
        forces = solver_.evaluate(request);
    } catch (const Error&) {
        bool are_finite = true;
        try {
            are_finite = store_->has_finite_positions();
        } catch (const PeerFailed&) { // positions are out of reach; reports the first error
        }
        if (!are_finite)
            refuse(reached);
        throw;
    }
    // Without masses the solver reads no positions.
    if (GM_ == 0 && !store_->has_finite_positions())
        refuse(reached);
    return forces;
}

/// Adds the external field, ends the steps of due particles and, at the end of a whole step, adds
/// the long range.
BlockEnd Leapfrog::close_block(Moment reached)
{
    if (field_)
        store_->add_external(*field_, reached.time);
    const BlockEnd end = end_block(reached);
    report_.below_shortest += end.below_shortest;
    if (levels_.at_end() && splits_forces())
        store_->add_long_range(long_range_factor(Half::second));
    return end;
}

/// Ends the steps of due particles.
BlockEnd Leapfrog::end_block(Moment reached)
{
    std::optional<NextLevels> next;
    if (blocks_)
        next = {rule(reached.time), levels_.whole(), levels_.lowest()};
    if (blocks_ && !levels_.at_end())
        next->may_rise = levels_.may_rise();
    const BlockEnd end = store_->end_block(kick_factors(Half::second), next);
    if (!end.is_finite)
        refuse(reached);
    return end;
}

void Leapfrog::choose_rungs(double length)
{
    if (blocks_) {
        levels_.begin(0, length, std::max(blocks_->shortest, std::ldexp(length, -blocks_->rungs)));
        levels_.set_counts(store_->place(length, levels_.lowest()));
    } else {
        const std::uint64_t all = count_;
        levels_.begin(0, length, length);
        levels_.set_counts({&all, 1});
    }
    store_->set_due(0, count_);
}

/// Returns the request of the next block, for due particles.
Request Leapfrog::request_of_block(Quantities quantities, Moment now)
{
    const bool ends = levels_.at_end();
    Request request = store_->request(needs_potentials() ||
                                      (ends && quantities == Quantities::acceleration_potential));
    // The last block of a whole step has the number of the whole step.
    request.number = now.step + (ends ? 0 : (block_ + 1) << 32);
    request.softening_length = softening(begin_ + levels_.elapsed());
    if (!blocks_)
        return request;
    const bool keeps = blocks_->rebuild
                           ? double(levels_.due_count()) < *blocks_->rebuild * double(count_)
                           : kept_trees_.keeps(rung_due(), levels_.elapsed());
    request.keeps_tree = block_ > 0 && keeps;
    if (splits_forces()) {
        request.long_range = ends ? LongRangePart::stored : LongRangePart::left_out;
        if (ends)
            request.long_range_acceleration = store_->clear_long_range();
    }
    return request;
}

/// Returns the kick factors by level: for the first half of steps that begin now, or the second
/// half of steps that end now.
LevelFactors Leapfrog::kick_factors(Half half) const
{
    LevelFactors factor{};
    for (int level = 0; level <= levels_.lowest(); ++level)
        if (levels_.count(level) > 0) {
            const double step = levels_.length(level) / 2, now = levels_.elapsed();
            factor[std::size_t(level)] = clock_.is_newtonian() ? step
                                         : half == Half::first
                                             ? clock_.kick(begin_ + now, begin_ + now + step)
                                             : clock_.kick(begin_ + (now - step), begin_ + now);
        }
    return factor;
}

double Leapfrog::drift_factor() const
{
    const double stride = levels_.stride(), now = levels_.elapsed();
    return clock_.is_newtonian() ? stride : clock_.drift(begin_ + (now - stride), begin_ + now);
}

double Leapfrog::long_range_factor(Half half) const
{
    const double length = levels_.whole(), middle = begin_ + length / 2;
    return clock_.is_newtonian() ? length / 2
           : half == Half::first ? clock_.kick(begin_, middle)
                                 : clock_.kick(middle, begin_ + length);
}

BlockRule Leapfrog::rule(double time) const
{
    return {{softening(time), blocks_->criterion, GM_},
            blocks_->eta,
            blocks_->longest,
            clock_.is_newtonian() ? 1 : clock_.step(time, 1)};
}

/// Returns k such that 2^k is the longest step of due particles.
int Leapfrog::rung_due() const
{
    int level = levels_.longest_due();
    while (level < levels_.lowest() && levels_.count(level) == 0)
        ++level;
    return std::ilogb(levels_.length(level));
}

/// Counts the steps that have ended now.
void Leapfrog::record_steps()
{
    BlockReport& report = report_;
    for (int level = levels_.longest_due(); level <= levels_.lowest(); ++level)
        if (const std::uint64_t count = levels_.count(level); count > 0) {
            BlockReport::Rung& rung = report.rungs[std::ilogb(levels_.length(level))];
            rung.particle_steps += count;
            rung.particle_time += double(count) * levels_.length(level);
            report.deepest = std::max(report.deepest, std::uint64_t(level));
        }
}

/// Records an evaluation of `targets` particles with steps of 2^exponent and shorter.
void Leapfrog::record_block(int exponent, std::uint64_t targets, const ForceStatistics& forces,
                            double seconds, double moving)
{
    BlockReport::Rung& rung = report_.rungs[exponent];
    ++rung.evaluations;
    rung.targets += targets;
    ++rung.timed;
    rung.timed_targets += targets;
    rung.pairs += forces.particle_particle + forces.particle_cell;
    for (const Profile::Phase& phase : forces.profile.phases())
        rung.phases.add(phase.name, phase.seconds);
    rung.seconds += seconds;
    rung.moving += moving;
}

/// Throws, naming the first particle with a position or acceleration that is not finite.
void Leapfrog::refuse(Moment now)
{
    require_finite_now(Column::position, now);
    require_finite_now(Column::acceleration, now);
    throw CollectiveError(Fault::device,
                          "particles: not finite on the GPU, but finite in their copy on the host");
}

} // namespace chamomile
