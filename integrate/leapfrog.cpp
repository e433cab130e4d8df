#include "integrate/leapfrog.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"

namespace chamomile {

void kick(Particles& particles, double dt)
{
#pragma omp parallel for if (particles.size() > worth_threads) schedule(static)
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.velocity[i] += dt * particles.acceleration[i];
}

void drift(Particles& particles, double dt)
{
#pragma omp parallel for if (particles.size() > worth_threads) schedule(static)
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.position[i] += dt * particles.velocity[i];
}

void kick_and_drift(const Particles& from, double dt, std::vector<Vec3<double>>& position,
                    std::vector<Vec3<double>>& velocity)
{
    const std::size_t n = from.size();
    position.resize(n);
    velocity.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
        velocity[i] = from.velocity[i] + dt / 2 * from.acceleration[i];
        position[i] = from.position[i] + dt * velocity[i];
    }
}

Leapfrog::Leapfrog(Solver& solver, const TimeStep& step) : solver_(solver), step_(step)
{
    validate(step);
    if (step.kind == TimeStepKind::adaptive && !(solver.options().softening.length > 0))
        throw Error(Fault::usage, "time step: adaptive steps need a softening length > 0");
}

ForceStatistics Leapfrog::start(Particles& particles, Quantities quantities, Moment now)
{
    return evaluate(particles, quantities, now);
}

Integrator::Wish Leapfrog::next_step(const Particles& particles)
{
    const double length =
        step_.kind == TimeStepKind::adaptive
            ? adaptive_time_step(particles, solver_.options().softening.length, step_)
            : step_.length;
    return {length, step_.kind};
}

ForceStatistics Leapfrog::step(Particles& particles, double length, Quantities quantities,
                               Moment now)
{
    const double begin = wall_clock_seconds();
    kick_and_drift(particles, length, position_, velocity_);
    acceleration_.resize(particles.size());
    const auto exchange_states = [&] {
        particles.position.swap(position_);
        particles.velocity.swap(velocity_);
        particles.acceleration.swap(acceleration_);
    };
    exchange_states();
    try {
        require_finite(particles, particles.position, "position", now);
        const double before = wall_clock_seconds();
        ForceStatistics statistics = evaluate(particles, quantities, now);
        const double forces = wall_clock_seconds() - before;
        kick(particles, length / 2);
        statistics.profile.add(integration_phase, wall_clock_seconds() - begin - forces);
        return statistics;
    } catch (...) {
        exchange_states();
        throw;
    }
}

ForceStatistics Leapfrog::evaluate(Particles& particles, Quantities quantities, Moment now)
{
    solver_.number_next(now.step);
    ForceStatistics statistics = solver_.solve(particles, quantities);
    require_finite(particles, particles.acceleration, "acceleration", now);
    return statistics;
}

void Leapfrog::exchange(Archive& archive, Particles&)
{
    solver_.exchange(archive);
}

} // namespace chamomile
