#include "integrate/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "integrate/leapfrog.hpp"

namespace chamomile {
namespace {

void add(ForceStatistics& total, const ForceStatistics& one)
{
    total.particle_particle += one.particle_particle;
    total.particle_cell += one.particle_cell;
    total.expansions += one.expansions;
    total.bytes_to_device += one.bytes_to_device;
    total.bytes_from_device += one.bytes_from_device;
    total.device_busy += one.device_busy;
    total.device_span += one.device_span;
    total.device_wait += one.device_wait;
    total.targets += one.targets;
    total.groups += one.groups;
    total.cells += one.cells;
    for (const Profile::Phase& phase : one.profile.phases())
        total.profile.add(phase.name, phase.seconds);
}

bool is_finite(const Vec3<double>& value)
{
    return std::isfinite(value.x) && std::isfinite(value.y) && std::isfinite(value.z);
}

} // namespace

Simulation::Simulation(Particles& particles, Solver& solver, const SimulationOptions& options)
    : particles_(particles), solver_(solver), options_(options),
      timeline_(options.start_time, options.end_time)
{
    validate(options.step);
    if (options.step.kind == TimeStepKind::adaptive && !(solver.options().softening.length > 0))
        throw Error(Fault::usage, "time step: adaptive steps need a softening length > 0");
}

void Simulation::at_intervals(double interval, Quantities needs, Observer observer)
{
    observers_.push_back({timeline_.add_series(interval), 0, needs, std::move(observer)});
}

void Simulation::every_steps(std::uint64_t n, Quantities needs, Observer observer)
{
    observers_.push_back({{}, std::max<std::uint64_t>(n, 1), needs, std::move(observer)});
}

void Simulation::after_each_step(Observer observer)
{
    step_observers_.push_back(std::move(observer));
}

void Simulation::run()
{
    Quantities quantities = Quantities::acceleration;
    for (const Registered& registered : observers_)
        if (registered.needs == Quantities::acceleration_potential)
            quantities = Quantities::acceleration_potential;
    require_finite(particles_.position, "position");
    require_finite(particles_.velocity, "velocity");
    evaluate(quantities);
    notify();
    while (!at_end() && !stop_) {
        take_step();
        for (const Observer& observer : step_observers_)
            observer(*this);
        notify();
    }
}

void Simulation::take_step()
{
    const double start = wall_clock_seconds();
    double forces = 0;
    double length = options_.step.length;
    if (options_.step.kind == TimeStepKind::adaptive)
        length = adaptive_time_step(particles_, solver_.options().softening.length, options_.step);
    const Timeline::Step planned = timeline_.plan(length, options_.step.kind);
    if (!(planned.end > time()))
        throw Error(Fault::numeric, "step " + std::to_string(step_ + 1) + ": its length of " +
                                        std::to_string(length) +
                                        " is lost in the digits of t = " + std::to_string(time()));
    const bool potentials = will_need_potentials(planned);
    diagnostics_.reset();
    has_potentials_ = false;
    step_length_ = planned.length;
    ++step_;

    kick_drift_kick(particles_, planned.length, [&] {
        require_finite(particles_.position, "position");
        const double before = wall_clock_seconds();
        evaluate(potentials ? Quantities::acceleration_potential : Quantities::acceleration);
        forces = wall_clock_seconds() - before;
    });
    timeline_.advance(planned);
    const double rest = wall_clock_seconds() - start - forces;
    last_.profile.add(integration_phase, rest);
    total_.profile.add(integration_phase, rest);
}

void Simulation::evaluate(Quantities quantities)
{
    solver_.number_next(step_);
    last_ = solver_.solve(particles_, quantities);
    add(total_, last_);
    require_finite(particles_.acceleration, "acceleration");
    has_potentials_ = quantities == Quantities::acceleration_potential;
}

const Diagnostics& Simulation::diagnostics()
{
    if (!has_potentials_)
        evaluate(Quantities::acceleration_potential);
    if (!diagnostics_) {
        const TimedPhase timed(total_.profile, "diagnostics");
        diagnostics_ = diagnose(particles_);
    }
    return *diagnostics_;
}

void Simulation::require_finite(const std::vector<Vec3<double>>& values, const char* what) const
{
    const std::size_t n = particles_.size();
    std::size_t first = n;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(min : first)
    for (std::size_t i = 0; i < n; ++i)
        if (!is_finite(values[i]))
            first = std::min(first, i);
    if (first < n)
        throw Error(Fault::numeric, "particle id " + std::to_string(particles_.id[first]) + ": " +
                                        what + ": is no longer a finite number in step " +
                                        std::to_string(step_) + ", t = " + std::to_string(time()) +
                                        "; try a shorter step or more softening");
}

bool Simulation::due(const Registered& registered) const
{
    if (step_ == 0 || at_end())
        return true;
    return registered.series ? timeline_.due(*registered.series) : step_ % registered.steps == 0;
}

bool Simulation::will_need_potentials(const Timeline::Step& planned) const
{
    return std::any_of(observers_.begin(), observers_.end(), [&](const Registered& registered) {
        if (registered.needs == Quantities::acceleration)
            return false;
        if (planned.end >= timeline_.end())
            return true;
        return registered.series ? timeline_.hits(planned, *registered.series)
                                 : (step_ + 1) % registered.steps == 0;
    });
}

void Simulation::notify()
{
    for (const Registered& registered : observers_)
        if (due(registered))
            registered.observer(*this);
}

} // namespace chamomile
