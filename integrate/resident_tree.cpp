// Steps of a leapfrog whose particles stay on the GPU.
#include <cmath>

#include "chamomile/core/archive.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/solver_state.hpp"
#include "chamomile/integrate/device_particles.hpp"
#include "chamomile/integrate/resident.hpp"

namespace chamomile {
namespace {

class ResidentTree final : public Integrator {
public:
    ResidentTree(Solver& solver, const TimeStep& step, const Clock& clock)
        : solver_(solver), host_(solver, step, clock), step_(step),
          clock_(clock), box_{solver.options().box}, softening_(solver.options().softening.length),
          there_(make_device_particles(choose_gpu(solver.options().device)))
    {}

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override
    {
        ForceStatistics statistics = host_.start(particles, quantities, now);
        there_->load(particles);
        is_current_ = true;
        return statistics;
    }

    Wish next_step(const Particles&, Moment now) override
    {
        if (step_.kind == TimeStepKind::fixed)
            return {step_.length, step_.kind};
        const DynamicalTime dynamical{clock_.softening(now.time, softening_)};
        const double shortest = dynamical.of(std::sqrt(there_->largest_acceleration_squared()), 0);
        return {adaptive_time_step(shortest, step_, clock_, now.time), step_.kind};
    }

    ForceStatistics step(Particles& particles, double length, Quantities quantities,
                         Moment now) override
    {
        const double begin = wall_clock_seconds();
        const Strides stride = strides(clock_, now.time, length);
        is_current_ = false;
        SolverState state(solver_);
        try {
            const Moment reached{now.step, now.time + length};
            if (!there_->kick_and_drift(stride, box_))
                refuse(particles, now);
            const double before = wall_clock_seconds();
            ForceStatistics statistics = evaluate_there(quantities, reached);
            const double forces = wall_clock_seconds() - before;
            if (!there_->kick(stride.last_kick))
                refuse(particles, reached);
            statistics.profile.add(integration_phase, wall_clock_seconds() - begin - forces);
            state.accept();
            return statistics;
        } catch (...) {
            there_->undo();
            try {
                bring(particles);
            } catch (const Error&) { // the device is lost: the host has what was brought last
            }
            throw;
        }
    }

    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment now) override
    {
        bring(particles);
        is_current_ = false; // where it throws, the device's count
        ForceStatistics statistics = host_.evaluate(particles, quantities, now);
        is_current_ = true;
        return statistics;
    }

    void bring(Particles& particles) override
    {
        if (!is_current_)
            there_->store(particles);
        is_current_ = true;
    }

    void exchange(Archive& archive, Particles& particles) override
    {
        host_.exchange(archive, particles);
        if (!archive.is_reading())
            return;
        there_->load(particles);
        is_current_ = true;
    }

    const Clock& clock() const override { return clock_; }
    const SolverOptions& forces() const override { return solver_.options(); }
    std::string device() const override { return solver_.device(); }

private:
    ForceStatistics evaluate_there(Quantities quantities, Moment now)
    {
        Request request = there_->request(quantities == Quantities::acceleration_potential);
        request.number = now.step;
        request.softening_length = clock_.softening(now.time, softening_);
        return solver_.evaluate(request);
    }

    [[noreturn]] void refuse(Particles& particles, Moment now)
    {
        there_->store(particles);
        const Moment stated{now.step, clock_.stated(now.time)};
        require_finite(particles, particles.position, "position", stated);
        require_finite(particles, particles.acceleration, "acceleration", stated);
        throw Error(Fault::device, "particles on the GPU are not finite, but those copied are");
    }

    Solver& solver_;
    Leapfrog host_;
    TimeStep step_;
    const Clock& clock_;
    Periodicity box_;
    double softening_; ///< that the solver was made with
    std::unique_ptr<DeviceParticles> there_;
    bool is_current_ = false; ///< the host's particles are those of now
};

} // namespace

std::unique_ptr<Integrator> make_resident_tree(Solver& solver, const TimeStep& step,
                                               const Clock& clock)
{
    if (!solver.takes_device_arrays())
        throw Error(Fault::usage, "resident: needs a GPU, and a tree, in boxes with a mesh");
    if (step.kind == TimeStepKind::adaptive && step.criterion == StepCriterion::potential)
        throw Error(Fault::usage, "resident: adaptive steps go by the softening");
    return std::make_unique<ResidentTree>(solver, step, clock);
}

} // namespace chamomile
