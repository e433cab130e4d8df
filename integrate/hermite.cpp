// Each block predicts all particles, evaluates and corrects the due ones, and chooses their next
// steps.
#include "chamomile/integrate/hermite.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Max number of blocks in a whole step, roughly; bounds the waiting time of observers and
/// interrupts.
constexpr double max_blocks = 8192;

void check(const HermiteOptions& o)
{
    const auto refuse = [](const std::string& what, double value, const char* allowed) {
        throw Error(Fault::usage,
                    "hermite: " + what + ": " + std::to_string(value) + ": must be " + allowed);
    };
    if (!(o.eta > 0 && std::isfinite(o.eta)))
        refuse("eta", o.eta, "> 0");
    if (!(o.eta_start > 0 && std::isfinite(o.eta_start)))
        refuse("starting eta", o.eta_start, "> 0");
    if (o.iterations < 1 || o.iterations > 10)
        refuse("iterations", o.iterations, "1 to 10");
    if (!(o.fixed_length >= 0 && std::isfinite(o.fixed_length)))
        refuse("length", o.fixed_length, ">= 0");
    if (o.fixed_length > 0 && o.sharing == StepSharing::blocks)
        refuse("length", o.fixed_length, "0 for blocks");
    if (!(o.longest > 0))
        refuse("longest", o.longest, "> 0");
    if (!(o.shortest >= 0 && o.shortest <= o.longest))
        refuse("shortest", o.shortest, ">= 0 and <= the longest");
}

/// Returns eps^2 of a pair of particles.
double softening_squared(const Particles& particles, const ClosePair& pair,
                         const Softening& softening)
{
    if (particles.softening.empty())
        return softening.length * softening.length;
    const double a = particles.softening[pair.i], b = particles.softening[pair.j];
    return pair_softening_squared(a * a, b * b, softening.rule);
}

/// Returns the largest eps^2 of any pair.
double largest_square(const Particles& particles, const Softening& softening)
{
    const std::vector<double>& own = particles.softening;
    if (own.empty())
        return softening.length * softening.length;
    const double largest = *std::max_element(own.begin(), own.end());
    return pair_softening_squared(largest * largest, largest * largest, softening.rule);
}

std::string in_words(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

} // namespace

Hermite::Hermite(JerkSolver& solver, const HermiteOptions& options)
    : solver_(solver), options_(options)
{
    check(options);
}

void Hermite::put_into(std::shared_ptr<const ExternalField> field)
{
    if (field)
        require(refusal(*field, {.in_box = forces().is_periodic(), .by_jerks = true}));
    Integrator::put_into(std::move(field));
}

ForceStatistics Hermite::start(Particles& particles, Quantities, Moment now)
{
    statistics_ = evaluate(particles, Quantities::acceleration_potential, now);
    const std::size_t n = particles.size();
    state_.encounters =
        Encounters(sources_, largest_square(particles, forces().softening),
                   options_.eta / std::abs(forces().gravitational_constant), now.time);
    state_.motion.resize(n);
    state_.time_step.resize(n);
    state_.length.assign(n, infinity);
    double GM = field_ ? field_->GM(now.time) : 0;
    const bool has_zero = !field_ || field_->without_zero().empty();
    for (double mass : particles.mass)
        GM += std::abs(forces().gravitational_constant * mass);
    std::vector<double> tidal(field_ ? n : 0);
    if (field_)
        field_->tidal_times(now.time, particles.position, {}, tidal);
    for (std::size_t i = 0; i < n; ++i) {
        state_.motion[i] = {particles.position[i], particles.velocity[i], sums_[i].acceleration,
                            sums_[i].jerk};
        double step = infinity;
        if (has_zero)
            step = starting_step(state_.motion[i], sums_[i].potential, GM, options_.eta_start);
        if (field_)
            step = std::min(step, options_.eta_start * tidal[i]);
        state_.time_step[i] = std::min(options_.longest, step);
    }
    state_.shared_length = infinity;
    state_.report = {};
    state_.report.shortest = options_.shortest;
    if (const double usual = usual_time_step(); state_.report.shortest == 0 && std::isfinite(usual))
        state_.report.shortest = std::ldexp(usual, -40);
    return statistics_;
}

/// Returns the 90th percentile of the particles' time steps.
double Hermite::usual_time_step() const
{
    if (state_.time_step.empty())
        return infinity;
    std::vector<double> time_steps = state_.time_step;
    const auto place = time_steps.begin() + std::ptrdiff_t(time_steps.size() * 9 / 10);
    std::nth_element(time_steps.begin(), place, time_steps.end());
    return *place;
}

Integrator::NextStep Hermite::next_step(Moment)
{
    if (options_.fixed_length > 0)
        return {options_.fixed_length, TimeStepKind::fixed};
    const bool blocks = options_.sharing == StepSharing::blocks;
    double shortest = infinity;
    for (double time_step : state_.time_step)
        shortest = std::min(shortest, time_step);
    const double length = blocks ? std::min(usual_time_step(), max_blocks * shortest)
                                 : std::min(2 * state_.shared_length, shortest);
    return {std::max(length, state_.report.shortest), TimeStepKind::adaptive};
}

ForceStatistics Hermite::step(Particles& particles, double length, Quantities quantities,
                              Moment now)
{
    const double begin = wall_clock_seconds();
    statistics_ = {};
    force_seconds_ = 0;
    is_within_step_ = false;
    before_ = state_;
    state_.encounters.record_passages(passage_distance_, forces().gravitational_constant);
    state_.encounters.begin_step();
    const std::vector<Vec3<double>> acceleration = particles.acceleration;
    try {
        move_all(particles, length, now);
        copy_to(particles);
        if (quantities == Quantities::acceleration_potential) {
            const double before = wall_clock_seconds();
            add(statistics_, evaluate(particles, quantities, {now.step, now.time + length}));
            force_seconds_ += wall_clock_seconds() - before;
        }
    } catch (...) {
        std::swap(state_, before_);
        copy_to(particles);
        particles.acceleration = acceleration;
        throw;
    }
    statistics_.profile.add(integration_phase, wall_clock_seconds() - begin - force_seconds_);
    return statistics_;
}

void Hermite::move_all(Particles& particles, double length, Moment now)
{
    place_particles(length);
    for (std::uint64_t block = 0; !levels_.at_end(); ++block) {
        move_block(particles, now);
        is_within_step_ = !levels_.at_end();
        if (is_within_step_)
            see_block(block, now.time + levels_.elapsed());
    }
    state_.shared_length = length;
}

void Hermite::gather(Particles& particles, std::span<const GlobalIndex> which,
                     std::span<PhasePoint> into)
{
    if (!is_within_step_)
        return gather_points(particles, which, into);
    for (std::size_t k = 0; k < which.size(); ++k)
        into[k] = {sources_[which[k]].position, sources_[which[k]].velocity};
}

void Hermite::after_blocks(std::uint64_t every, BlockObserver observer)
{
    if (options_.sharing == StepSharing::shared)
        return Integrator::after_blocks(every, std::move(observer));
    blocks_between_ = every;
    block_observer_ = std::move(observer);
}

ForceStatistics Hermite::evaluate(Particles& particles, Quantities, Moment now)
{
    const std::size_t n = particles.size();
    sources_.resize(n);
    active_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        sources_[i] = {particles.position[i], particles.velocity[i], particles.mass[i]};
        active_[i] = Index(i);
    }
    sums_.resize(n);
    ForceStatistics statistics = sum_forces(particles, now.time);
    require_sums(particles, now);
    for (std::size_t i = 0; i < n; ++i) {
        particles.acceleration[i] = sums_[i].acceleration;
        particles.potential[i] = sums_[i].potential;
    }
    return statistics;
}

/// Sums accelerations, jerks and potentials of the active particles, with the external field.
ForceStatistics Hermite::sum_forces(const Particles& particles, double time)
{
    const ForceStatistics statistics = solver_.solve(sources_, particles.softening, active_, sums_);
    if (field_)
        field_->add(time, sources_, active_, sums_);
    return statistics;
}

/// Sets the levels of all particles for a whole step of `length`. A step grows by at most a factor
/// of two.
void Hermite::place_particles(double length)
{
    levels_.begin(state_.motion.size(), length, state_.report.shortest);
    for (std::size_t i = 0; i < state_.motion.size(); ++i) {
        const bool alone = options_.sharing == StepSharing::blocks;
        levels_.place(Index(i),
                      alone ? levels_.level_for(std::min(state_.time_step[i], 2 * state_.length[i]))
                            : 0);
    }
}

void Hermite::move_block(Particles& particles, Moment now)
{
    levels_.advance(active_);
    now.time += levels_.elapsed();
    predict_all(particles, now);
    ends_.resize(active_.size());
    for (int iteration = 0; iteration < options_.iterations; ++iteration) {
        evaluate_block(particles, now);
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const Index i = active_[k];
            correct(ends_[k], state_.motion[i], levels_.since(i));
            sources_[i].position = ends_[k].position;
            sources_[i].velocity = ends_[k].velocity;
        }
    }
    if (options_.last_evaluation == LastEvaluation::after_correction)
        evaluate_block(particles, now);
    for (std::size_t k = 0; k < active_.size(); ++k)
        end_step(particles, k, now);
    state_.encounters.note(sources_, active_, state_.time_step, now.time);
    ++state_.report.blocks;
    state_.report.particle_steps += active_.size();
}

void Hermite::predict_all(const Particles& particles, Moment now)
{
    double probe = 0; // 0, or NaN if a value is not finite
#pragma omp parallel for if (state_.motion.size() > worth_threads) schedule(static) reduction(+ : probe)
    for (std::size_t i = 0; i < state_.motion.size(); ++i) {
        const Motion to = predicted(state_.motion[i], levels_.since(Index(i)));
        sources_[i].position = to.position;
        sources_[i].velocity = to.velocity;
        probe += 0 * (to.position.x + to.position.y + to.position.z + to.velocity.x +
                      to.velocity.y + to.velocity.z);
    }
    if (probe == 0)
        return;
    std::vector<Vec3<double>> values(state_.motion.size());
    for (const auto& [member, name] : {std::pair{&MovingSource::position, "position"},
                                       std::pair{&MovingSource::velocity, "velocity"}}) {
        for (std::size_t i = 0; i < state_.motion.size(); ++i)
            values[i] = sources_[i].*member;
        require_finite(particles, values, name, now);
    }
}

void Hermite::evaluate_block(const Particles& particles, Moment now)
{
    const double before = wall_clock_seconds();
    sums_.resize(active_.size());
    add(statistics_, sum_forces(particles, now.time));
    require_sums(particles, now);
    for (std::size_t k = 0; k < active_.size(); ++k) {
        ends_[k].acceleration = sums_[k].acceleration;
        ends_[k].jerk = sums_[k].jerk;
    }
    force_seconds_ += wall_clock_seconds() - before;
}

/// Moves the k-th particle of the block to the end of its step, and chooses its next step.
void Hermite::end_step(const Particles& particles, std::size_t k, Moment now)
{
    const Index i = active_[k];
    const double dt = levels_.since(i);
    const HigherDerivatives higher = higher_derivatives(state_.motion[i], ends_[k], dt);
    state_.time_step[i] = std::min(options_.longest, aarseth_step(ends_[k], higher, options_.eta));
    state_.motion[i] = ends_[k];
    state_.length[i] = dt;
    ++state_.report.steps_by_exponent[std::ilogb(dt)];
    if (options_.fixed_length > 0)
        return;
    if (state_.time_step[i] < state_.report.shortest) {
        if (options_.below_shortest == BelowShortest::refuse)
            refuse_step(particles, i, now);
        ++state_.report.below_shortest;
    }
    if (options_.sharing == StepSharing::blocks)
        levels_.change(i, state_.time_step[i]);
}

void Hermite::copy_to(Particles& particles) const
{
    for (std::size_t i = 0; i < state_.motion.size(); ++i) {
        particles.position[i] = state_.motion[i].position;
        particles.velocity[i] = state_.motion[i].velocity;
        particles.acceleration[i] = state_.motion[i].acceleration;
    }
}

void Hermite::require_sums(const Particles& particles, Moment now) const
{
    const auto is_finite = [](const JerkSum& sum) {
        const Vec3<double>&a = sum.acceleration, &j = sum.jerk;
        return std::isfinite(a.x + a.y + a.z + j.x + j.y + j.z + sum.potential);
    };
    for (std::size_t k = 0; k < active_.size(); ++k) {
        if (is_finite(sums_[k]))
            continue;
        const Index i = active_[k];
        const ClosePair pair = nearest_to(sources_, i);
        if (sources_[pair.i].position == sources_[pair.j].position && pair.i != pair.j &&
            softening_squared(particles, pair, forces().softening) == 0)
            throw Error(Fault::input, "particles with ids " + std::to_string(particles.id[pair.i]) +
                                          " and " + std::to_string(particles.id[pair.j]) +
                                          ": equal positions at t = " + in_words(now.time) +
                                          ": coincident particles need a softening > 0");
        throw Error(Fault::numeric, "particle id " + std::to_string(particles.id[i]) +
                                        ": acceleration or jerk: not finite in step " +
                                        std::to_string(now.step) + ", t = " + in_words(now.time) +
                                        "; try a smaller eta or more softening");
    }
}

void Hermite::refuse_step(const Particles& particles, Index i, Moment now) const
{
    const ClosePair pair = nearest_to(sources_, i);
    const Index other = pair.i == i ? pair.j : pair.i;
    throw Error(Fault::numeric,
                "particle id " + std::to_string(particles.id[i]) + ": step " +
                    in_words(state_.time_step[i]) + " in step " + std::to_string(now.step) +
                    ", t = " + in_words(now.time) + ": below the shortest of " +
                    in_words(state_.report.shortest) + ", " + in_words(pair.distance) +
                    " from id " + std::to_string(particles.id[other]) +
                    "; needs softening ({eps}), or {count-short-steps} to count short steps");
}

void Hermite::exchange(Archive& archive, Particles& particles)
{
    archive.records("hermite/motion", state_.motion);
    archive("hermite/wish", state_.time_step);
    archive("hermite/length", state_.length);
    archive("hermite/shared_length", state_.shared_length);
    state_.encounters.exchange(archive);
    HermiteReport& report = state_.report;
    archive("hermite/blocks", report.blocks);
    archive("hermite/particle_steps", report.particle_steps);
    archive("hermite/steps", report.steps_by_exponent);
    archive("hermite/below_shortest", report.below_shortest);
    archive("hermite/shortest", report.shortest);
    const std::size_t n = particles.size();
    if (state_.motion.size() != n || state_.time_step.size() != n || state_.length.size() != n)
        throw Error(Fault::restart, "hermite: arrays of different lengths");
    if (!archive.is_reading())
        return;
    sources_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        sources_[i] = {particles.position[i], particles.velocity[i], particles.mass[i]};
}

HermiteReport Hermite::report() const
{
    HermiteReport report = state_.report;
    report.closest = state_.encounters.closest();
    return report;
}

} // namespace chamomile
