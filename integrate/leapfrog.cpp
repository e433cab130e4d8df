#include "chamomile/integrate/leapfrog.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/solver_state.hpp"

namespace chamomile {

double kick(Particles& particles, double dt)
{
    double probe = 0;
#pragma omp parallel for if (particles.size() > worth_threads) schedule(static) reduction(+ : probe)
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3<double>& a = particles.acceleration[i];
        particles.velocity[i] += dt * a;
        probe += 0 * (a.x + a.y + a.z);
    }
    return probe;
}

void drift(Particles& particles, double dt)
{
#pragma omp parallel for if (particles.size() > worth_threads) schedule(static)
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.position[i] += dt * particles.velocity[i];
}

Strides strides(const Clock& clock, double time, double length)
{
    if (clock.is_plain())
        return {length / 2, length, length / 2};
    const double middle = time + length / 2, end = time + length;
    return {clock.kick(time, middle), clock.drift(time, end), clock.kick(middle, end)};
}

double kick_and_drift(const Particles& from, const Strides& strides, Periodicity box,
                      std::vector<Vec3<double>>& position, std::vector<Vec3<double>>& velocity)
{
    const std::size_t n = from.size();
    position.resize(n);
    velocity.resize(n);
    double probe = 0;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : probe)
    for (std::size_t i = 0; i < n; ++i) {
        velocity[i] = from.velocity[i] + strides.first_kick * from.acceleration[i];
        const Vec3<double> x = box.wrapped(from.position[i] + strides.drift * velocity[i]);
        position[i] = x;
        probe += 0 * (x.x + x.y + x.z);
    }
    return probe;
}

Leapfrog::Leapfrog(Solver& solver, const TimeStep& step, const Clock& clock)
    : solver_(solver), step_(step), clock_(clock), box_{solver.options().box},
      softening_(solver.options().softening.length)
{
    validate(step);
    if (needs_potentials())
        require_zero(step.criterion, solver.options().box > 0);
    if (step.kind == TimeStepKind::adaptive && !needs_potentials() &&
        !(solver.options().softening.length > 0))
        throw Error(Fault::usage, "time step: adaptive steps need a softening length > 0");
}

ForceStatistics Leapfrog::start(Particles& particles, Quantities quantities, Moment now)
{
    GM_ = total_GM(particles, solver_.options().gravitational_constant);
    return evaluate(particles, quantities, now);
}

Integrator::Wish Leapfrog::next_step(const Particles& particles, Moment now)
{
    const double length =
        step_.kind == TimeStepKind::adaptive
            ? adaptive_time_step(particles, {softening(now.time), step_.criterion, GM_}, step_,
                                 clock_, now.time)
            : step_.length;
    return {length, step_.kind};
}

ForceStatistics Leapfrog::step(Particles& particles, double length, Quantities quantities,
                               Moment now)
{
    const double begin = wall_clock_seconds();
    const Strides stride = strides(clock_, now.time, length);
    const double moved = kick_and_drift(particles, stride, box_, position_, velocity_);
    acceleration_.resize(particles.size());
    if (needs_potentials())
        potential_.resize(particles.size());
    const auto exchange_states = [&] {
        particles.position.swap(position_);
        particles.velocity.swap(velocity_);
        particles.acceleration.swap(acceleration_);
        if (needs_potentials())
            particles.potential.swap(potential_);
    };
    SolverState state(solver_);
    exchange_states();
    try {
        if (moved != 0)
            require_finite(particles, particles.position, "position",
                           {now.step, clock_.stated(now.time)});
        const double before = wall_clock_seconds();
        ForceStatistics statistics = solve(particles, quantities, {now.step, now.time + length});
        const double forces = wall_clock_seconds() - before;
        if (kick(particles, stride.last_kick) != 0)
            require_finite(particles, particles.acceleration, "acceleration",
                           {now.step, clock_.stated(now.time + length)});
        statistics.profile.add(integration_phase, wall_clock_seconds() - begin - forces);
        state.accept();
        return statistics;
    } catch (...) {
        exchange_states();
        throw;
    }
}

ForceStatistics Leapfrog::evaluate(Particles& particles, Quantities quantities, Moment now)
{
    SolverState state(solver_);
    ForceStatistics statistics = solve(particles, quantities, now);
    require_finite(particles, particles.acceleration, "acceleration",
                   {now.step, clock_.stated(now.time)});
    state.accept();
    return statistics;
}

ForceStatistics Leapfrog::solve(Particles& particles, Quantities quantities, Moment now)
{
    if (needs_potentials())
        quantities = Quantities::acceleration_potential;
    Request request = request_of(particles, quantities);
    request.number = now.step;
    request.softening_length = softening(now.time);
    return solver_.evaluate(request);
}

void Leapfrog::exchange(Archive& archive, Particles& particles)
{
    solver_.exchange(archive);
    GM_ = total_GM(particles, solver_.options().gravitational_constant);
}

} // namespace chamomile
