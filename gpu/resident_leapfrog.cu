// The leapfrog on the device: five kernels a step, queued without waiting for any.
//
// Positions are kept as rows of sources (position, mass) and of targets (position), because a law
// reads rows. Each step sorts the rows anew along a Hilbert curve, so that no bit depends on when
// they were sorted last.
#include <cmath>
#include <limits>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "force/gpu.hpp"
#include "gpu/pair_launch.cuh"
#include "gpu/pair_order.cuh"
#include "integrate/resident.hpp"
#include "pairs/laws/gravity.hpp"

namespace chamomile {
namespace {

/// The state as kernels see it.
struct ResidentState {
    double *sources, *targets, *velocity, *sums;
    unsigned count;
    int sum_width;             ///< values of a row of sums
    double G;                  ///< times the sums
    unsigned long long* fault; ///< the least of (step << 32 | particle) whose sum is not finite
};

__global__ void kick_and_drift(ResidentState s, double half_step, double step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.count)
        return;
    for (int f = 0; f < 3; ++f) {
        double& v = s.velocity[3ull * i + f];
        double& x = s.targets[3ull * i + f];
        v += half_step * (s.G * s.sums[(unsigned long long)i * s.sum_width + f]);
        x += step * v;
        s.sources[4ull * i + f] = x;
    }
}

__global__ void kick(ResidentState s, double half_step, unsigned step)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.count)
        return;
    double probe = 0;
    for (int f = 0; f < 3; ++f) {
        const double a = s.G * s.sums[(unsigned long long)i * s.sum_width + f];
        s.velocity[3ull * i + f] += half_step * a;
        probe += 0 * a;
    }
    if (probe != 0)
        atomicMin(s.fault, (unsigned long long)step << 32 | i);
}

class ResidentLeapfrog final : public Integrator {
public:
    ResidentLeapfrog(const SolverOptions& options, const TimeStep& step, int device)
        : options_(options), step_(step), device_(device),
          precise_(options.precision == Precision::double_precision),
          plain_code_(law_code<GravityAcceleration>()), full_code_(law_code<GravityPotential>()),
          plain_units_(plain_code_, &plain_law_), full_units_(full_code_, &full_law_)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        options_.device = "gpu:" + std::to_string(device);
        stream_ = std::make_unique<Stream>();
        fault_.reserve(1);
    }

    ~ResidentLeapfrog() override
    {
        cudaSetDevice(device_);
        cudaDeviceSynchronize();
    }

    ForceStatistics start(Particles& particles, Quantities quantities, Moment now) override
    {
        check(cudaSetDevice(device_), "choose the device");
        send(particles);
        ForceStatistics statistics = sum(quantities);
        stream_->wait();
        bring(particles);
        require_finite(particles, particles.acceleration, "acceleration", now);
        return statistics;
    }

    Wish next_step(const Particles&) override { return {step_.length, step_.kind}; }

    ForceStatistics step(Particles&, double length, Quantities quantities, Moment now) override
    {
        const double begin = wall_clock_seconds();
        check(cudaSetDevice(device_), "choose the device");
        const unsigned blocks = (n_ + 255) / 256;
        kick_and_drift<<<blocks, 256, 0, *stream_>>>(state(), length / 2, length);
        check(cudaGetLastError(), "launch kick and drift");
        ForceStatistics statistics = sum(quantities);
        kick<<<blocks, 256, 0, *stream_>>>(state(), length / 2, unsigned(now.step));
        check(cudaGetLastError(), "launch a kick");
        // A few steps ahead are enough, and an end of the run by stop() comes soon.
        if (++ahead_ == steps_ahead) {
            stream_->wait();
            ahead_ = 0;
        }
        is_current_ = false;
        statistics.profile.add(integration_phase, wall_clock_seconds() - begin);
        return statistics;
    }

    ForceStatistics evaluate(Particles& particles, Quantities quantities, Moment) override
    {
        check(cudaSetDevice(device_), "choose the device");
        ForceStatistics statistics = sum(quantities);
        is_current_ = false;
        bring(particles);
        return statistics;
    }

    void bring(Particles& particles) override
    {
        if (is_current_)
            return;
        check(cudaSetDevice(device_), "choose the device");
        const std::size_t n = n_;
        double* x = host_position_.reserve(3 * n);
        double* v = host_velocity_.reserve(3 * n);
        const std::size_t width = std::size_t(sum_width_);
        double* a = host_sums_.reserve(width * n);
        unsigned long long* fault = host_fault_.reserve(1);
        download(x, targets_.data(), 3 * n, *stream_);
        download(v, velocity_.data(), 3 * n, *stream_);
        download(a, sums_.data(), width * n, *stream_);
        download(fault, fault_.data(), 1, *stream_);
        stream_->wait();
        ahead_ = 0;
        particles.acceleration.resize(n);
        if (width == 4)
            particles.potential.resize(n);
        const double G = options_.gravitational_constant;
        for (std::size_t i = 0; i < n; ++i) {
            particles.position[i] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
            particles.velocity[i] = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
            particles.acceleration[i] =
                G * Vec3<double>{a[width * i], a[width * i + 1], a[width * i + 2]};
            if (width == 4)
                particles.potential[i] = G * a[width * i + 3];
        }
        is_current_ = true;
        if (*fault != no_fault)
            throw Error(Fault::numeric, "step " + std::to_string(*fault >> 32) +
                                            ": particle with id " +
                                            std::to_string(particles.id[*fault & 0xffffffffu]) +
                                            ": acceleration: is not finite");
    }

    /// The sums too, without G: accelerations have been rounded once more.
    void exchange(Archive& archive, Particles& particles) override
    {
        check(cudaSetDevice(device_), "choose the device");
        std::vector<double> sums;
        if (!archive.is_reading()) {
            sums.resize(std::size_t(sum_width_) * n_);
            double* a = host_sums_.reserve(sums.size());
            download(a, sums_.data(), sums.size(), *stream_);
            stream_->wait();
            std::copy(a, a + sums.size(), sums.begin());
        }
        archive("resident/sums", sums);
        archive("resident/sum_width", sum_width_);
        archive("resident/extent", extent_);
        if (!archive.is_reading())
            return;
        const double extent = extent_;
        send(particles);
        set_extent(extent);
        if ((sum_width_ != 3 && sum_width_ != 4) || sums.size() != std::size_t(sum_width_) * n_)
            throw Error(Fault::restart, "resident: sums: another length than the particles");
        double* a = host_sums_.reserve(sums.size());
        std::copy(sums.begin(), sums.end(), a);
        sums_.reserve(4 * std::size_t(n_));
        upload(sums_, a, sums.size(), *stream_);
        stream_->wait();
        is_current_ = true;
    }

    const SolverOptions& forces() const override { return options_; }
    std::string device() const override { return name_; }

private:
    static constexpr unsigned long long no_fault = ~0ull;
    static constexpr int steps_ahead = 16;

    ResidentState state()
    {
        return {source_rows_.data(),
                targets_.data(),
                velocity_.data(),
                sums_.data(),
                n_,
                sum_width_,
                options_.gravitational_constant,
                fault_.data()};
    }

    void send(const Particles& particles)
    {
        n_ = unsigned(particles.size());
        const std::size_t n = n_;
        double* x = host_position_.reserve(3 * n);
        double* v = host_velocity_.reserve(3 * n);
        double* j = host_sums_.reserve(4 * n);
        unsigned* self = host_self_.reserve(n);
        Box all;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3<double>&p = particles.position[i], &w = particles.velocity[i];
            const double row[4] = {p.x, p.y, p.z, particles.mass[i]};
            std::copy(row, row + 4, j + 4 * i);
            std::copy(row, row + 3, x + 3 * i);
            const double velocity[3] = {w.x, w.y, w.z};
            std::copy(velocity, velocity + 3, v + 3 * i);
            self[i] = unsigned(i);
            all.add(p);
        }
        upload(targets_, x, 3 * n, *stream_);
        upload(velocity_, v, 3 * n, *stream_);
        upload(source_rows_, j, 4 * n, *stream_);
        upload(self_, self, n, *stream_);
        sums_.reserve(4 * n);
        *host_fault_.reserve(1) = no_fault;
        upload(fault_, host_fault_.data(), 1, *stream_);
        set_extent(precise_ || n == 0 ? 0 : all.longest_side());
        stream_->wait(); // the staging memory is used again
    }

    void set_extent(double extent)
    {
        extent_ = extent;
        plain_units_.set_extent(extent);
        full_units_.set_extent(extent);
    }

    /// Queues the sums at the present positions.
    ForceStatistics sum(Quantities quantities)
    {
        ForceStatistics statistics;
        const bool full = quantities == Quantities::acceleration_potential;
        sum_width_ = full ? 4 : 3;
        if (n_ == 0)
            return statistics;
        PairJob job{};
        job.targets = targets_.data();
        job.sources = source_rows_.data();
        job.target_count = job.source_count = n_;
        job.self = self_.data();
        job.sums = sums_.data();
        if (!precise_ && std::size_t(n_) * n_ > worth_sorting) {
            order_.sort_in_own_box({job.sources, n_, 4}, sorted_, *stream_);
            job.target_order = job.source_order = sorted_.data();
            PairBox* boxes = boxes_.reserve((n_ + 31) / 32);
            find_tile_boxes({job.sources, n_, 4}, sorted_.data(), boxes, *stream_);
            job.boxes = boxes;
        }
        const LawCode& code = full ? full_code_ : plain_code_;
        const PairCut cut = pair_cut(n_, n_);
        statistics.groups = launcher_.launch(pair_kernel(code, device_, cut, precise_), cut, code,
                                             full ? full_units_ : plain_units_, job, *stream_);
        statistics.targets = n_;
        statistics.particle_particle = std::uint64_t(n_) * n_;
        return statistics;
    }

    SolverOptions options_;
    const TimeStep step_;
    const int device_;
    const bool precise_;
    std::string name_;
    const LawCode plain_code_, full_code_;
    const GravityAcceleration plain_law_{options_.softening.length};
    const GravityPotential full_law_{options_.softening.length};
    LawUnits plain_units_, full_units_;
    unsigned n_ = 0;
    int sum_width_ = 3, ahead_ = 0;
    double extent_ = 0; ///< of the first positions
    bool is_current_ = false;
    std::unique_ptr<Stream> stream_;
    PairLauncher launcher_;
    RowOrder order_;
    PinnedBuffer<double> host_position_, host_velocity_, host_sums_;
    PinnedBuffer<unsigned> host_self_;
    PinnedBuffer<unsigned long long> host_fault_;
    DeviceBuffer<double> targets_, source_rows_, velocity_, sums_;
    DeviceBuffer<unsigned> self_, sorted_;
    DeviceBuffer<PairBox> boxes_;
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
