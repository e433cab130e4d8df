// Each block: half kicks, a drift of all, forces of those that are due, half kicks, their rungs.
#include "chamomile/integrate/block_leapfrog.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/solver_state.hpp"

namespace chamomile {
namespace {

/// Building the tree costs as much as so many pairs for each of its particles
/// (docs/performance_runs.md).
KeptTrees kept_trees_of(const SolverOptions& forces)
{
    return KeptTrees(forces.device == "cpu" ? 40 : 300);
}

constexpr double infinity = std::numeric_limits<double>::infinity();

void check(const BlockSteps& o, const SolverOptions& forces)
{
    const auto refuse = [](const std::string& what, double value, const char* allowed) {
        throw Error(Fault::usage,
                    "block steps: " + what + ": " + std::to_string(value) + ": must be " + allowed);
    };
    if (!(o.eta > 0 && std::isfinite(o.eta)))
        refuse("eta", o.eta, "> 0");
    if (!(o.longest > 0))
        refuse("longest", o.longest, "> 0");
    if (!(o.shortest >= 0 && o.shortest <= o.longest))
        refuse("shortest", o.shortest, ">= 0 and <= the longest");
    if (o.rungs < 0 || o.rungs > 40)
        refuse("rungs", o.rungs, "0 to 40");
    if (o.rebuild && !(*o.rebuild >= 0))
        refuse("rebuild", *o.rebuild, ">= 0");
    require_zero(o.criterion, forces.box > 0);
    if (o.criterion == StepCriterion::softening && !(forces.softening.length > 0))
        throw Error(Fault::usage, "block steps: the criterion 'softening' needs a softening "
                                  "length > 0; 'potential' does not");
}

} // namespace

BlockLeapfrog::BlockLeapfrog(Solver& solver, const BlockSteps& steps, const Clock& clock)
    : solver_(solver), steps_(steps), clock_(clock), box_{solver.options().box},
      softening_(solver.options().softening.length), kept_trees_(kept_trees_of(solver.options()))
{
    check(steps, solver.options());
}

ForceStatistics BlockLeapfrog::start(Particles& particles, Quantities quantities, Moment now)
{
    const bool needs_potential = needs_potentials();
    is_split_ = false;
    ForceStatistics statistics =
        evaluate(particles, needs_potential ? Quantities::acceleration_potential : quantities, now);
    const std::size_t n = particles.size();
    GM_ = total_GM(particles, forces().gravitational_constant);
    state_ = {};
    report_ = {};
    kept_trees_ = kept_trees_of(forces());
    if (needs_potential)
        state_.orbit.resize(n);
    state_.time.resize(n);
    const BlockRule rule = this->rule(now.time);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        state_.time[i] = measure(rule, particles, Index(i), 0);
    state_.wish = state_.time;
    return statistics;
}

BlockRule BlockLeapfrog::rule(double time) const
{
    return {{softening(time), steps_.criterion, GM_},
            steps_.eta,
            steps_.longest,
            clock_.is_plain() ? 1 : clock_.step(time, 1)};
}

double BlockLeapfrog::measure(const BlockRule& rule, const Particles& particles, Index i,
                              double elapsed)
{
    double none = 0;
    double& orbit = state_.orbit.empty() ? none : state_.orbit[i];
    const Vec3<double>& a = particles.acceleration[i];
    return rule.measure(norm_of_any_size(is_split_ ? a + long_range_[i] : a),
                        particles.potential[i], elapsed, orbit);
}

BlockLeapfrog::Wishes BlockLeapfrog::count_wishes()
{
    Wishes wishes;
    const std::size_t n = state_.wish.size();
#pragma omp parallel if (n > worth_threads)
    {
        Wishes own;
#pragma omp for schedule(static) nowait
        for (std::size_t i = 0; i < n; ++i) {
            const double wish = state_.wish[i];
            own.shortest = std::min(own.shortest, wish);
            ++own.count[std::size_t(Wishes::exponent(wish))];
        }
#pragma omp critical(wishes)
        {
            wishes.shortest = std::min(wishes.shortest, own.shortest);
            for (std::size_t k = 0; k < own.count.size(); ++k)
                wishes.count[k] += own.count[k];
        }
    }
    return wishes;
}

Integrator::Wish BlockLeapfrog::next_step(const Particles& particles, Moment now)
{
    double longest = std::min(steps_.longest, clock_.longest_step(now.time));
    if (splits_forces())
        longest = std::min(longest, longest_for_long_range(particles, now.time));
    const Wishes wishes = count_wishes();
    const std::vector<std::uint64_t>& count = wishes.count;
    const std::size_t n = particles.size();
    std::size_t most = n - n / 10, k = 0; // nine of ten, at least one
    for (std::uint64_t sum = count[0]; sum < most && k + 1 < count.size();)
        sum += count[++k];
    double length = k + 1 < count.size() ? std::ldexp(1.0, int(k) + Wishes::lowest) : infinity;
    length = std::min(length, longest);
    // So that the shortest wish is a rung.
    const double deepest = std::max(wishes.shortest, steps_.shortest);
    if (length > std::ldexp(deepest, steps_.rungs))
        length = std::ldexp(1.0, std::ilogb(std::ldexp(deepest, steps_.rungs)));
    return {std::max(length, steps_.shortest), TimeStepKind::adaptive};
}

ForceStatistics BlockLeapfrog::step(Particles& particles, double length, Quantities quantities,
                                    Moment now)
{
    const double begin = wall_clock_seconds();
    statistics_ = {};
    keep(particles);
    before_.report = report_;
    before_.kept_trees = kept_trees_;
    SolverState state(solver_);
    try {
        move_all(particles, length, quantities, now);
        state.accept();
    } catch (...) {
        is_split_ = false;
        report_ = before_.report;
        kept_trees_ = *before_.kept_trees;
        restore(particles);
        throw;
    }
    double forces = 0;
    for (const Profile::Phase& phase : statistics_.profile.phases())
        forces += phase.seconds;
    statistics_.profile.add(integration_phase,
                            std::max(0.0, wall_clock_seconds() - begin - forces));
    return statistics_;
}

void BlockLeapfrog::move_all(Particles& particles, double length, Quantities quantities, Moment now)
{
    begin_ = now.time;
    block_ = 0;
    kept_trees_.begin();
    place(particles, length);
    if (splits_forces()) {
        kick_by_long_range(particles, long_range_factor(Half::first));
        take_long_range_off(particles);
        is_split_ = true;
    }
    while (!levels_.at_end()) {
        const double start = wall_clock_seconds();
        kick(particles, Half::first);
        advance();
        drift(particles, now);
        const double drifted = wall_clock_seconds();
        const bool ends = levels_.at_end();
        const ForceStatistics forces =
            evaluate_due(particles,
                         needs_potentials() ? Quantities::acceleration_potential
                         : ends             ? quantities
                                            : Quantities::acceleration,
                         now);
        add(statistics_, forces);
        kept_trees_.note(rung_due(), levels_.elapsed(), forces, particles.size());
        const double evaluated = wall_clock_seconds();
        kick(particles, Half::second);
        report_.below_shortest += wish_anew(particles);
        note_block(forces, evaluated - drifted, wall_clock_seconds() - evaluated + drifted - start);
        if (!ends)
            change();
        ++block_;
    }
    if (splits_forces()) {
        kick_by_long_range(particles, long_range_factor(Half::second));
        add_long_range(particles);
        is_split_ = false;
    }
}

void BlockLeapfrog::place(const Particles& particles, double length)
{
    levels_.begin(particles.size(), length, floor(length));
    levels_.place(state_.wish);
    due_.clear(); // all
}

void BlockLeapfrog::advance()
{
    levels_.advance(due_);
}

void BlockLeapfrog::change()
{
    levels_.change(due_, state_.wish);
}

BlockLeapfrog::Factors BlockLeapfrog::factors(Half half) const
{
    const double now = begin_ + levels_.elapsed();
    Factors factor{};
    for (int level = 0; level <= levels_.lowest(); ++level)
        if (levels_.count(level) > 0) {
            const double step = levels_.length(level) / 2;
            factor[level] = clock_.is_plain()     ? step
                            : half == Half::first ? clock_.kick(now, now + step)
                                                  : clock_.kick(now - step, now);
        }
    return factor;
}

double BlockLeapfrog::drift_factor() const
{
    const double stride = levels_.stride(), end = begin_ + levels_.elapsed();
    return clock_.is_plain() ? stride : clock_.drift(end - stride, end);
}

/// Of those that are due: half of the step that begins, or that ends.
void BlockLeapfrog::kick(Particles& particles, Half half)
{
    const Factors factor = factors(half);
    const std::size_t n = particles.size();
    if (due_.empty() || due_.size() == n) {
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t i = 0; i < n; ++i)
            particles.velocity[i] += factor[levels_.level(Index(i))] * particles.acceleration[i];
        return;
    }
#pragma omp parallel for if (due_.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < due_.size(); ++k) {
        const Index i = due_[k];
        particles.velocity[i] += factor[levels_.level(i)] * particles.acceleration[i];
    }
}

void BlockLeapfrog::drift(Particles& particles, Moment now)
{
    const double factor = drift_factor(), end = begin_ + levels_.elapsed();
    const std::size_t n = particles.size();
    double probe = 0; // 0, or not a number if something is not finite
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : probe)
    for (std::size_t i = 0; i < n; ++i) {
        Vec3<double>& x = particles.position[i];
        x = box_.wrapped(x + factor * particles.velocity[i]);
        probe += 0 * (x.x + x.y + x.z);
    }
    if (probe != 0)
        require_finite(particles, particles.position, "position", {now.step, clock_.stated(end)});
}

void BlockLeapfrog::describe(Request& request, Moment now) const
{
    const bool ends = levels_.at_end();
    const bool keeps = steps_.rebuild
                           ? double(levels_.due_count()) < *steps_.rebuild * double(request.count)
                           : kept_trees_.keeps(rung_due(), levels_.elapsed());
    request.keeps_tree = block_ > 0 && keeps;
    // The last one has the number of the whole step, as Leapfrog's has.
    request.number = now.step + (ends ? 0 : (block_ + 1) << 32);
    request.softening_length = softening(begin_ + levels_.elapsed());
    if (splits_forces() && !ends)
        request.long_range = LongRangePart::left_out;
}

ForceStatistics BlockLeapfrog::evaluate_due(Particles& particles, Quantities quantities, Moment now)
{
    Request request = request_of(particles, quantities);
    describe(request, now);
    if (splits_forces() && levels_.at_end())
        put_long_range_apart(request);
    if (due_.size() < particles.size())
        request.active = due_;
    const ForceStatistics statistics = solver_.evaluate(request);
    double probe = 0;
#pragma omp parallel for if (due_.size() > worth_threads) schedule(static) reduction(+ : probe)
    for (std::size_t k = 0; k < due_.size(); ++k) {
        const Vec3<double>& a = particles.acceleration[due_[k]];
        probe += 0 * (a.x + a.y + a.z);
    }
    if (probe != 0)
        require_finite(particles, particles.acceleration, "acceleration",
                       {now.step, clock_.stated(begin_ + levels_.elapsed())});
    return statistics;
}

/// Of those that have ended a step. A step grows by a factor of two at most.
std::uint64_t BlockLeapfrog::wish_anew(const Particles& particles)
{
    const BlockRule rule = this->rule(begin_ + levels_.elapsed());
    const double shortest = levels_.length(levels_.lowest());
    std::uint64_t below = 0;
#pragma omp parallel for if (due_.size() > worth_threads) schedule(static) reduction(+ : below)
    for (std::size_t k = 0; k < due_.size(); ++k) {
        const Index i = due_[k];
        const double last = levels_.length(levels_.level(i));
        const double now = measure(rule, particles, i, last);
        const double wish = BlockRule::anticipated(now, std::exchange(state_.time[i], now), last);
        state_.wish[i] = std::min(wish, 2 * last);
        below += wish < shortest;
    }
    return below;
}

int BlockLeapfrog::rung_due() const
{
    int level = levels_.longest_due();
    while (level < levels_.lowest() && levels_.count(level) == 0)
        ++level;
    return std::ilogb(levels_.length(level));
}

/// Counts the steps that have ended now.
void BlockLeapfrog::note_block(const ForceStatistics& forces, double seconds, double moving)
{
    BlockReport& report = report_;
    for (int level = levels_.longest_due(); level <= levels_.lowest(); ++level)
        if (const std::uint64_t count = levels_.count(level); count > 0) {
            BlockReport::Rung& rung = report.rungs[std::ilogb(levels_.length(level))];
            rung.particle_steps += count;
            rung.particle_time += double(count) * levels_.length(level);
            report.deepest = std::max(report.deepest, std::uint64_t(level));
        }
    BlockReport::Rung& rung = report.rungs[rung_due()];
    ++rung.evaluations;
    rung.targets += levels_.due_count();
    ++rung.timed;
    rung.timed_targets += levels_.due_count();
    rung.pairs += forces.particle_particle + forces.particle_cell;
    for (const Profile::Phase& phase : forces.profile.phases())
        rung.phases.add(phase.name, phase.seconds);
    rung.seconds += seconds;
    rung.moving += moving;
}

ForceStatistics BlockLeapfrog::evaluate(Particles& particles, Quantities quantities, Moment now)
{
    SolverState state(solver_);
    const ForceStatistics statistics = evaluate_all(particles, quantities, now);
    require_finite(particles, particles.acceleration, "acceleration",
                   {now.step, clock_.stated(now.time)});
    state.accept();
    return statistics;
}

} // namespace chamomile
