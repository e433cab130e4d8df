/// \file  The time loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/integrator.hpp"
#include "chamomile/integrate/light_cone.hpp"
#include "chamomile/integrate/timeline.hpp"

namespace chamomile {

struct SimulationOptions {
    double start_time = 0, end_time = 0;
    TimeStep step = {}; ///< for the leapfrog only
};

/// A Simulation evolves particles by the steps of an integrator, by default the leapfrog with the
/// forces of a solver. To see, print or write something, register an observer.
///
///     SolverOptions options;
///     options.softening.length = 0.01;
///     auto solver = make_solver(options);
///     Simulation simulation(particles, *solver, {.end_time = 10, .step = {.length = 1. / 128}});
///     simulation.at_intervals(1, Quantities::acceleration_potential, [](Simulation& now) {
///         std::printf("%g %g\n", now.time(), now.diagnostics().energy());
///     });
///     simulation.run();
///
/// Results do not depend on the number of threads, bitwise. An observer may read the particles but
/// not change them.
///
/// If Integrator::ranks() is set, calls are collective: each rank has a simulation of its local
/// particles with the same observers, and stop() must be called on all. Its many members are the
/// clock, what callers asked for, and the last measurements.
class Simulation {
public:
    using Observer = std::function<void(Simulation&)>;

    /// The data that an observer reads: particles(), or only rows() and diagnostics(). In the
    /// second case particles stored elsewhere are not fetched.
    enum class LooksAt { particles, rows };

    /// Keeps references: particles and solver must outlive the simulation. Throws Error(usage) for
    /// an end before the start, a step length that is not positive, or adaptive steps without
    /// softening.
    Simulation(Particles& particles, Solver& solver, const SimulationOptions& options);

    /// Keeps references likewise. Any integrator may be used; it must outlive the simulation.
    Simulation(Particles& particles, Integrator& integrator, double start_time, double end_time);

    /// Calls at the start, at start + k * interval (exactly, steps are shortened), and at the end.
    /// Potentials are current at the call if `needs` includes them.
    void at_intervals(double interval, Quantities needs, Observer observer,
                      LooksAt looks = LooksAt::particles);

    /// Calls at the start, at the listed times (exactly, steps are shortened), and at the end.
    void at_times(std::vector<double> times, Quantities needs, Observer observer,
                  LooksAt looks = LooksAt::particles);

    /// Calls at the start, after every n-th step and at the end. Shortens no step.
    void every_steps(std::uint64_t n, Quantities needs, Observer observer,
                     LooksAt looks = LooksAt::particles);

    /// Calls after each step, before the other observers, with potentials only if the step computed
    /// them.
    void after_each_step(Observer observer);

    /// Calls at the start and after each step, after all other observers.
    void when_done(Observer observer);

    /// Calls observer(time) within whole steps: Integrator::after_blocks().
    void after_blocks(std::uint64_t every, Integrator::BlockObserver observer)
    {
        integrator_->after_blocks(every, std::move(observer));
    }

    /// Runs once, from the start or the state restored by exchange(), to the end or to the step
    /// during which stop() is called. Throws Error(numeric) naming particle and step if a position,
    /// velocity or acceleration is not finite, and errors of solver and observers. The state before
    /// the step is then restored, and exchange() may keep it. Throws Error(usage) before any
    /// observer is called if the first step implies more than max_steps to the end.
    void run();

    /// Lets run() begin after step `step` of an integrator that has started with these particles.
    void go_on_after(std::uint64_t step);

    /// Ends run() after the present step and its observers, without the observers of the end. Safe
    /// in a signal handler and from another thread.
    void stop() { stop_ = true; }

    /// Keeps the complete state, including particles, or restores it before run(), with observers
    /// registered in the same order. The state may be kept in an observer of when_done(), or after
    /// run(): a restored run first calls observers that were not done. Throws Error(restart) for a
    /// state that does not fit.
    void exchange(Archive& archive);

    double time() const { return timeline_.time(); }
    /// Returns the current softening length, for clocks that change it.
    double softening_length() const
    {
        return integrator_->clock().softening(time(), integrator_->forces().softening.length);
    }
    /// Returns the time as written in files, such as a scale factor.
    double file_time() const { return integrator_->clock().file_time(time()); }
    std::uint64_t step() const { return step_; }
    double step_length() const { return step_length_; } ///< of the last step, 0 at the start
    bool at_end() const { return timeline_.at_end(); }
    bool has_begun() const { return begun_; } ///< the first forces are known
    double start_time() const { return timeline_.start(); }
    double end_time() const { return timeline_.end(); }
    const Particles& particles() const { return particles_; }
    /// Keeps ids and moving columns only on ranks, if particles are stored there. particles() then
    /// has them only for observers that read particles(), and between fetch() and the next step.
    void leave_particles();
    void fetch() { integrator_->fetch(particles_); }
    /// Returns the rows of the current particles, valid until the next step or call.
    ParticleReader& rows();
    /// Copies the current particles in `which`, as gather_points(), without a fetch. Does not
    /// change later steps. Throws Error(device).
    void gather(std::span<const GlobalIndex> which, std::span<PhasePoint> into);
    const Integrator& integrator() const { return *integrator_; }
    LedParticles* led() { return integrator_->led(); }
    void record_passages(double distance) { integrator_->record_passages(distance); }
    void record_crossings(const LightCone& cone) { integrator_->record_crossings(cone); }
    std::vector<Crossing> take_crossings() { return integrator_->take_crossings(); }

    /// True if particles().potential belongs to the current positions.
    bool has_potentials() const { return has_potentials_; }

    /// Returns the diagnostics of the current state; computes the potentials if they are not
    /// current. The result is kept until the next step, shared by all observers.
    const Diagnostics& diagnostics();

    /// Returns the errors of the current forces at about `targets` particles (sampled_errors()).
    SampledErrors sample_errors(std::size_t targets, Quantities quantities)
    {
        return integrator_->sample_errors(particles_, targets, quantities, time());
    }

    /// Returns the statistics of the last step with its integration_phase, or of a later
    /// evaluation.
    const ForceStatistics& last_statistics() const { return last_; }
    /// Returns the statistics of all steps and evaluations, with the phases of the time loop.
    const ForceStatistics& total_statistics() const { return total_; }

private:
    struct Registered {
        std::optional<std::size_t> series; ///< of the timeline; else counted in steps
        std::uint64_t steps = 0;
        Quantities needs = Quantities::acceleration;
        Observer observer;
        LooksAt looks = LooksAt::particles;
    };

    void make_room_for_forces();
    void run_steps();
    void require_end();
    void take_step();
    ForceStatistics step_integrator(double length, Quantities quantities);
    void note(ForceStatistics&& statistics, Quantities quantities);
    bool due(const Registered& registered) const;
    bool will_need_potentials(const Timeline::Step& planned) const;
    void notify();
    bool has_left_particles();
    void exchange_state(Archive& archive);
    void exchange_particles(Archive& archive);
    void restore_moving(Archive& archive);
    void keep_moving(Archive& archive);
    void require_equal_lengths(bool is_on_host) const;

    Particles& particles_;
    std::unique_ptr<Integrator> own_;
    Integrator* integrator_;
    Timeline timeline_;
    std::vector<Registered> observers_;
    std::vector<Observer> step_observers_, last_observers_;
    std::size_t notified_ = 0; ///< observers already called in the present step
    bool begun_ = false, leaves_particles_ = false;
    std::optional<RowsInMemory> here_; ///< the rows returned last
    std::uint64_t step_ = 0;
    double step_length_ = 0;
    bool has_potentials_ = false;
    std::optional<Diagnostics> diagnostics_;
    ForceStatistics last_, total_;
    std::atomic<bool> stop_ = false;
};

} // namespace chamomile
