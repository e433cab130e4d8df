// The leapfrog on the device: ten kernels a step, queued without waiting for any.
//
// Positions and masses are kept in units of powers of two (DirectFrame), about the caller's origin,
// so that their bits are those of the caller's. Each step sorts the particles anew along a Hilbert
// curve, so that no bit depends on when they were sorted last. Forces that cancel are summed once
// more in double, as the direct solver's are. Contraction: fused.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "chamomile/core/archive.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/direct/direct_frame.hpp"
#include "chamomile/gpu/direct/direct_summer.cuh"
#include "chamomile/gpu/pairs/pair_order.cuh"
#include "chamomile/integrate/resident.hpp"

namespace chamomile {
namespace {

/// The state as kernels see it.
struct ResidentState {
    Source* particles; ///< in internal units
    Vec3<double>*velocity, *acceleration;
    unsigned count;
    double inverse_length;
    unsigned long long* fault; ///< the least of (step << 32 | particle) whose sum is not finite
};

__global__ void kick_and_drift(ResidentState s, double half_step, double step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.count)
        return;
    const Vec3<double> v = s.velocity[i] + half_step * s.acceleration[i];
    s.velocity[i] = v;
    s.particles[i].position += (s.inverse_length * step) * v;
}

__global__ void kick(ResidentState s, double half_step, unsigned step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.count)
        return;
    const Vec3<double> a = s.acceleration[i];
    s.velocity[i] += half_step * a;
    const double probe = 0 * (a.x + a.y + a.z);
    if (probe != 0)
        atomicMin(s.fault, (unsigned long long)step << 32 | i);
}

class ResidentLeapfrog final : public Integrator {
public:
    ResidentLeapfrog(const SolverOptions& options, const TimeStep& step, int device)
        : options_(options), step_(step), device_(device),
          summer_(options.softening, options.precision)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        options_.device = "gpu:" + std::to_string(device);
        stream_ = std::make_unique<Stream>();
        fault_.reserve(1);
    }

    ~ResidentLeapfrog() override { settle_device(device_); }

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override
    {
        check(cudaSetDevice(device_), "choose the device");
        send(particles);
        ForceStatistics statistics = sum(quantities);
        stream_->wait(allowance());
        bring(particles);
        require_finite(particles, particles.acceleration, "acceleration", now);
        return statistics;
    }

    Wish next_step(const Particles&, Moment) override { return {step_.length, step_.kind}; }

    ForceStatistics step(Particles&, double length, Quantities quantities, Moment now) override
    {
        const double begin = wall_clock_seconds();
        check(cudaSetDevice(device_), "choose the device");
        require_state();
        is_lost_ = true; // until all is under way
        const unsigned blocks = (n_ + 255) / 256;
        kick_and_drift<<<blocks, 256, 0, *stream_>>>(state(), length / 2, length);
        check(cudaGetLastError(), "launch kick and drift");
        ForceStatistics statistics = sum(quantities);
        kick<<<blocks, 256, 0, *stream_>>>(state(), length / 2, unsigned(now.step));
        check(cudaGetLastError(), "launch a kick");
        // A few steps ahead are enough, and an end of the run by stop() comes soon.
        if (++ahead_ == steps_ahead) {
            stream_->wait(allowance());
            ahead_ = 0;
        }
        is_current_ = is_lost_ = false;
        statistics.profile.add(integration_phase, wall_clock_seconds() - begin);
        return statistics;
    }

    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment) override
    {
        check(cudaSetDevice(device_), "choose the device");
        require_state();
        is_lost_ = true;
        ForceStatistics statistics = sum(quantities);
        is_current_ = is_lost_ = false;
        bring(particles);
        return statistics;
    }

    void bring(Particles& particles) override
    {
        if (is_current_)
            return;
        require_state();
        check(cudaSetDevice(device_), "choose the device");
        const std::size_t n = n_;
        Source* j = host_particles_.reserve(n);
        Vec3<double>* v = host_velocity_.reserve(n);
        Vec3<double>* a = host_acceleration_.reserve(n);
        double* phi = host_potential_.reserve(n);
        unsigned long long* fault = host_fault_.reserve(1);
        download(j, particles_.data(), n, *stream_);
        download(v, velocity_.data(), n, *stream_);
        download(a, acceleration_.data(), n, *stream_);
        if (has_potential_)
            download(phi, potential_.data(), n, *stream_);
        download(fault, fault_.data(), 1, *stream_);
        stream_->wait(allowance());
        ahead_ = 0;
        is_lost_ = *fault != no_fault;
        if (is_lost_)
            throw Error(Fault::numeric, "step " + std::to_string(*fault >> 32) +
                                            ": particle with id " +
                                            std::to_string(particles.id[*fault & 0xffffffffu]) +
                                            ": acceleration: is not finite");
        particles.acceleration.resize(n);
        std::copy(v, v + n, particles.velocity.begin());
        std::copy(a, a + n, particles.acceleration.begin());
        if (has_potential_)
            particles.potential.assign(phi, phi + n);
        for (std::size_t i = 0; i < n; ++i)
            particles.position[i] = frame_.length * j[i].position;
        is_current_ = true;
    }

    /// The accelerations are those of the last sum; unit of length and origin are those of the
    /// start.
    void exchange(Archive& archive, Particles& particles) override
    {
        check(cudaSetDevice(device_), "choose the device");
        archive("resident/length", frame_.length);
        archive("resident/origin", frame_.origin);
        if (!archive.is_reading())
            return;
        send(particles, DirectFrame(frame_));
        Vec3<double>* a = host_acceleration_.reserve(n_);
        std::copy(particles.acceleration.begin(), particles.acceleration.end(), a);
        upload(acceleration_, a, n_, *stream_);
        stream_->wait(allowance());
        is_current_ = true;
    }

    const SolverOptions& forces() const override { return options_; }
    std::string device() const override { return name_; }

private:
    static constexpr unsigned long long no_fault = ~0ull;
    static constexpr int steps_ahead = 16;

    /// What a step that failed has left is no state to go on from.
    void require_state() const
    {
        if (is_lost_)
            throw Error(Fault::device, "resident: the state on the GPU is lost");
    }

    /// For the steps that are under way.
    double allowance() const { return (1 + ahead_) * allowance_of_pairs(double(n_) * n_); }

    ResidentState state()
    {
        return {particles_.data(), velocity_.data(), acceleration_.data(), n_,
                1 / frame_.length, fault_.data()};
    }

    /// `kept`: the frame to go on with; none: it is chosen.
    void send(const Particles& particles, const std::optional<DirectFrame>& kept = {})
    {
        check_number(particles.size());
        n_ = unsigned(particles.size());
        is_current_ = is_lost_ = false;
        const std::size_t n = n_;
        if (n == 0)
            return;
        frame_ = DirectFrame({particles.position, particles.mass}, options_.softening,
                             options_.precision, [&] { return particles; });
        if (kept) {
            frame_.length = kept->length;
            frame_.origin = kept->origin;
        }
        setup_ = {frame_.masses, frame_.scaled, false};
        Source* j = host_particles_.reserve(n);
        Vec3<double>* v = host_velocity_.reserve(n);
        for (std::size_t i = 0; i < n; ++i) {
            j[i] = {(1 / frame_.length) * particles.position[i],
                    (1 / frame_.mass) * particles.mass[i]};
            v[i] = particles.velocity[i];
        }
        upload(particles_, j, n, *stream_);
        upload(velocity_, v, n, *stream_);
        unsigned* order = host_order_.reserve(n);
        std::iota(order, order + n, 0u);
        upload(sorted_, order, n, *stream_);
        acceleration_.reserve(n);
        potential_.reserve(n);
        *host_fault_.reserve(1) = no_fault;
        upload(fault_, host_fault_.data(), 1, *stream_);
        stream_->wait(allowance()); // the staging memory is used again
    }

    /// Queues the sums at the present positions.
    ForceStatistics sum(Quantities quantities)
    {
        ForceStatistics statistics;
        has_potential_ = quantities == Quantities::acceleration_potential;
        if (n_ == 0)
            return statistics;
        order_.sort_in_own_box({&particles_.data()->position.x, n_, 4}, sorted_, *stream_);
        setup_.order = sorted_.data();
        setup_.with_potential = has_potential_;
        DirectSum job{};
        job.particles = particles_.data();
        job.origin = (1 / frame_.length) * frame_.origin;
        job.source_count = job.target_count = n_;
        job.softening_length = options_.softening.length / frame_.length;
        ForceOutput units;
        units.set_units(options_.gravitational_constant, {frame_.length, frame_.mass});
        job.acceleration_unit = units.acceleration_unit;
        job.potential_unit = units.potential_unit;
        job.acceleration = acceleration_.data();
        job.potential = potential_.data();
        job.cancelling.seen = host_cancelling_.reserve(1);
        statistics.groups = summer_.sum(job, setup_, *stream_);
        statistics.targets = n_;
        statistics.particle_particle = std::uint64_t(n_) * n_;
        return statistics;
    }

    SolverOptions options_;
    const TimeStep step_;
    const int device_;
    std::string name_;
    unsigned n_ = 0;
    DirectFrame frame_; // units are powers of two
    bool has_potential_ = false;
    int ahead_ = 0;
    bool is_current_ = false; ///< the host's particles are those of now
    bool is_lost_ = false;    ///< the device's are those of no time
    std::unique_ptr<Stream> stream_;
    DirectSummer summer_;
    DirectSetup setup_{};
    RowOrder order_;
    PinnedBuffer<Source> host_particles_;
    PinnedBuffer<Vec3<double>> host_velocity_, host_acceleration_;
    PinnedBuffer<double> host_potential_;
    PinnedBuffer<unsigned> host_order_, host_cancelling_;
    PinnedBuffer<unsigned long long> host_fault_;
    DeviceBuffer<Source> particles_;
    DeviceBuffer<Vec3<double>> velocity_, acceleration_;
    DeviceBuffer<double> potential_;
    DeviceBuffer<unsigned> sorted_;
    DeviceBuffer<unsigned long long> fault_;
};

} // namespace

std::unique_ptr<Integrator> make_resident_leapfrog(const SolverOptions& solver,
                                                   const TimeStep& step)
{
    validate(step);
    const auto refuse = [](const char* line) {
        throw Error(Fault::usage, std::string("resident: ") + line);
    };
    if (solver.solver != SolverKind::direct)
        refuse("needs direct sums");
    if (solver.is_periodic())
        refuse("direct sums on the GPU are not periodic");
    if (solver.accuracy)
        refuse("direct sums keep any accuracy; leave it out");
    if (step.kind != TimeStepKind::fixed)
        refuse("needs steps of a fixed length");
    if (solver.softening.kind != SofteningKind::plummer && solver.softening.length > 0)
        refuse("knows Plummer softening alone");
    const int device = choose_gpu(solver.device);
    if (device < 0)
        throw Error(Fault::device, "resident: needs a GPU: " +
                                       (why_no_gpu().empty() ? "device is cpu" : why_no_gpu()));
    return std::make_unique<ResidentLeapfrog>(solver, step, device);
}

} // namespace chamomile
