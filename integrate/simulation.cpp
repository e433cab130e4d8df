#include "chamomile/integrate/simulation.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/integrate/archived_rows.hpp"
#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {
namespace {

/// Exchanges the fixed columns; keep_moving() saves ids. Checkpoints of earlier versions may lack
/// optional ones.
void exchange_lasting_columns(Archive& archive, Particles& particles)
{
    std::map<std::string, std::string> extra; // names of columns
    for (const auto& [name, values] : particles.extra)
        extra[name];
    if (archive.has("particles/extra"))
        archive("particles/extra", extra);
    for (const auto& [name, text] : extra)
        particles.extra[name];
    for_each_column(
        [&](Column column, const std::string& name, auto& values) {
            const std::string block = name_in_archives(column, name);
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(values[0])>>)
                if (!moves(column) && (column != Column::id || archive.is_reading()) &&
                    (!is_optional(column) || archive.has(block)))
                    archive(block, values);
        },
        particles);
}

/// Runs work, collectively if the integrator's calls are collective. An error on a single rank then
/// ends every rank.
template <class Work>
void run_and_agree(Integrator& integrator, const Work& work)
{
    Communicator* const ranks = integrator.ranks();
    ranks ? known_to_all(*ranks, work) : work();
}

} // namespace

Simulation::Simulation(Particles& particles, Solver& solver, const SimulationOptions& options)
    : particles_(particles), own_(std::make_unique<Leapfrog>(solver, options.step)),
      integrator_(own_.get()), timeline_(options.start_time, options.end_time)
{}

Simulation::Simulation(Particles& particles, Integrator& integrator, double start_time,
                       double end_time)
    : particles_(particles), integrator_(&integrator), timeline_(start_time, end_time)
{}

void Simulation::at_intervals(double interval, Quantities needs, Observer observer, LooksAt looks)
{
    observers_.push_back({timeline_.add_series(interval), 0, needs, std::move(observer), looks});
}

void Simulation::at_times(std::vector<double> times, Quantities needs, Observer observer,
                          LooksAt looks)
{
    observers_.push_back(
        {timeline_.add_list(std::move(times)), 0, needs, std::move(observer), looks});
}

void Simulation::every_steps(std::uint64_t n, Quantities needs, Observer observer, LooksAt looks)
{
    observers_.push_back({{}, std::max<std::uint64_t>(n, 1), needs, std::move(observer), looks});
}

void Simulation::after_each_step(Observer observer)
{
    step_observers_.push_back(std::move(observer));
}

void Simulation::when_done(Observer observer)
{
    last_observers_.push_back(std::move(observer));
}

void Simulation::run()
{
    const struct Fetch { // however the run ends
        Simulation& simulation;
        ~Fetch()
        {
            try {
                if (simulation.begun_ && !simulation.has_left_particles())
                    simulation.fetch();
            } catch (const Error&) { // the device is lost: the host has the last fetch
            }
        }
    } fetch{*this};
    run_and_agree(*integrator_, [this] { run_steps(); });
}

void Simulation::go_on_after(std::uint64_t step)
{
    step_ = step;
    begun_ = true;
}

/// Files may lack accelerations and potentials.
void Simulation::make_room_for_forces()
{
    if (particles_.position.empty()) // deferred, or on ranks
        return;
    resize_large(particles_.size(), particles_.acceleration, particles_.potential);
}

void Simulation::run_steps()
{
    if (!begun_) {
        make_room_for_forces();
        Quantities quantities = Quantities::acceleration;
        for (const Registered& registered : observers_)
            if (registered.needs == Quantities::acceleration_potential)
                quantities = Quantities::acceleration_potential;
        const Moment now{step_, time()}, shown{step_, file_time()};
        Communicator alone;
        Communicator* const ranks = integrator_->ranks();
        (ranks ? *ranks : alone).run_and_agree([&] {
            require_finite(particles_, particles_.position, "position", shown);
            require_finite(particles_, particles_.velocity, "velocity", shown);
        });
        note(integrator_->start(particles_, quantities, now), quantities);
        require_end();
        begun_ = true;
        notify();
    } else if (notified_ < observers_.size()) {
        notify();
    }
    while (!at_end() && !stop_) {
        take_step();
        for (const Observer& observer : step_observers_)
            observer(*this);
        notify();
    }
}

/// Throws before any observer is called if the first step implies more than max_steps to the end.
void Simulation::require_end()
{
    if (at_end())
        return;
    const double length = integrator_->next_step({step_, time()}).length;
    const double steps = (end_time() - time()) / length;
    if (steps <= max_steps)
        return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "time step: %.3g: makes %.3g steps: must be at most 1e12; increase the step, eta "
                  "or the longest step",
                  length, steps);
    throw CollectiveError(Fault::usage, text);
}

void Simulation::take_step()
{
    const double start = wall_clock_seconds();
    const Integrator::NextStep next = integrator_->next_step({step_, time()});
    const Timeline::Step planned = timeline_.plan(next.length, next.kind);
    if (!(planned.end > time()))
        throw CollectiveError(Fault::numeric,
                              "step " + std::to_string(step_ + 1) + ": its length " +
                                  std::to_string(next.length) +
                                  " is below the rounding of t = " + std::to_string(file_time()));
    const Quantities quantities = will_need_potentials(planned) ? Quantities::acceleration_potential
                                                                : Quantities::acceleration;
    diagnostics_.reset();
    has_potentials_ = false;
    const double planning = wall_clock_seconds() - start;
    ForceStatistics statistics = step_integrator(planned.length, quantities);
    step_length_ = planned.length;
    ++step_;
    notified_ = 0;
    timeline_.advance(planned);
    statistics.profile.add(integration_phase, planning);
    note(std::move(statistics), quantities);
}

/// Takes a step. If the solver refuses the moved particles, the run has failed: throws
/// CollectiveError(numeric).
ForceStatistics Simulation::step_integrator(double length, Quantities quantities)
{
    try {
        return integrator_->step(particles_, length, quantities, {step_ + 1, time()});
    } catch (const Error& error) {
        if (error.fault() != Fault::input)
            throw;
        throw CollectiveError(Fault::numeric, std::string(error.line()) + ", in step " +
                                                  std::to_string(step_ + 1) +
                                                  " from t = " + std::to_string(file_time()));
    }
}

/// Records the statistics of an evaluation.
void Simulation::note(ForceStatistics&& statistics, Quantities quantities)
{
    last_ = std::move(statistics);
    add(total_, last_);
    has_potentials_ = quantities == Quantities::acceleration_potential;
}

void Simulation::gather(std::span<const GlobalIndex> which, std::span<PhasePoint> into)
{
    integrator_->gather(particles_, which, into);
}

void Simulation::leave_particles()
{
    leaves_particles_ = true;
    integrator_->release_host_copy();
}

/// True if moving columns stay on ranks until an observer needs particles().
bool Simulation::has_left_particles()
{
    return leaves_particles_ && integrator_->rows(particles_);
}

ParticleReader& Simulation::rows()
{
    ParticleReader* const elsewhere = integrator_->rows(particles_);
    if (elsewhere && !elsewhere->is_on_host())
        return *elsewhere;
    fetch();
    return here_ ? *here_ : here_.emplace(particles_); // keeps its memory
}

const Diagnostics& Simulation::diagnostics()
{
    constexpr auto potentials = Quantities::acceleration_potential;
    if (!begun_) { // the caller may have changed particles
        make_room_for_forces();
        has_potentials_ = false;
        diagnostics_.reset();
    }
    if (!has_potentials_) {
        note(integrator_->evaluate(particles_, potentials, {step_, time()}), potentials);
        if (!leaves_particles_)
            fetch();
    }
    if (!diagnostics_) {
        const TimedPhase timed(total_.profile, "diagnostics");
        diagnostics_ =
            integrator_->diagnose(particles_,
                                  integrator_->clock().is_newtonian() ? LagrangianRadii::computed
                                                                      : LagrangianRadii::left_out,
                                  time());
    }
    return *diagnostics_;
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
    const auto looks = [&](const Registered& registered) {
        return due(registered) && registered.looks == LooksAt::particles;
    };
    if ((at_end() && !has_left_particles()) ||
        std::any_of(observers_.begin(), observers_.end(), looks))
        fetch();
    for (; notified_ < observers_.size(); ++notified_)
        if (due(observers_[notified_]))
            observers_[notified_].observer(*this);
    for (const Observer& observer : last_observers_)
        observer(*this);
}

void Simulation::exchange(Archive& archive)
{
    run_and_agree(*integrator_, [&] { exchange_state(archive); });
}

void Simulation::exchange_state(Archive& archive)
{
    exchange_particles(archive);
    timeline_.exchange(archive);
    archive("simulation/step", step_);
    archive("simulation/step_length", step_length_);
    archive("simulation/has_potentials", has_potentials_);
    archive("simulation/particle_pairs", last_.particle_particle);
    archive("simulation/cell_pairs", last_.particle_cell);
    bool has_ended = at_end();
    archive("simulation/has_ended", has_ended);
    std::uint64_t notified = notified_, observers = observers_.size();
    archive("simulation/notified", notified);
    archive("simulation/observers", observers);
    if (observers != observers_.size() || notified > observers)
        throw Error(Fault::restart, "simulation: " + std::to_string(observers) +
                                        " observers: must be " + std::to_string(observers_.size()));
    notified_ = std::size_t(notified);
    integrator_->exchange(archive, particles_);
    begun_ = true;
    diagnostics_.reset();
}

void Simulation::exchange_particles(Archive& archive)
{
    exchange_lasting_columns(archive, particles_);
    if (!archive.is_reading())
        keep_moving(archive);
    else if (has_left_particles()) // the archive keeps the data until the ranks read them
        drop_moving(particles_);
    else
        restore_moving(archive);
    if (!archive.is_reading())
        return;
    require_equal_lengths(!has_left_particles());
    if (particles_.id.size() != particles_.size())
        throw unequal_lengths();
}

void Simulation::restore_moving(Archive& archive)
{
    archive.records(name_in_archives(Column::position), particles_.position);
    archive.records(name_in_archives(Column::velocity), particles_.velocity);
    archive.records(name_in_archives(Column::acceleration), particles_.acceleration);
    archive(name_in_archives(Column::potential), particles_.potential);
    particles_.potential.resize(particles_.size());
}

/// Writes ids and moving columns to the archive, wherever they are stored.
void Simulation::keep_moving(Archive& archive)
{
    ParticleReader& now = rows();
    const std::size_t n = particles_.size();
    require_equal_lengths(now.is_on_host());
    for (const Column value :
         {Column::id, Column::position, Column::velocity, Column::acceleration})
        keep_rows(archive, value, n, now);
    keep_rows(archive, Column::potential, now.is_on_host() ? particles_.potential.size() : n, now);
}

void Simulation::require_equal_lengths(bool is_on_host) const
{
    const Particles& p = particles_;
    const std::size_t n = p.size();
    for_each_column(
        [&](Column column, const std::string&, const auto& values) {
            const bool is_free =
                column == Column::potential || (moves(column) && !is_on_host) ||
                ((is_optional(column) || (column == Column::id && !is_on_host)) && values.empty());
            if (!is_free && values.size() != n)
                throw unequal_lengths();
        },
        p);
}

} // namespace chamomile
