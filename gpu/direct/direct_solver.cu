// The direct sum on the device: no tree, no lists; one copy up, one sum, one copy back.
//
// Of few targets the kernel writes the sums into host memory itself. Contraction: fused.
#include <algorithm>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/direct/direct_frame.hpp"
#include "chamomile/gpu/direct/direct_summer.cuh"
#include "chamomile/tree/octree.hpp"

namespace chamomile {
namespace {

constexpr Index most_to_map = 4096; ///< results that the kernel writes into host memory

class CudaDirectSolver final : public Solver {
public:
    CudaDirectSolver(int device, const SolverOptions& options)
        : options_(options), softening_(options.softening), device_(device),
          summer_(options.softening, options.precision)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        stream_ = std::make_unique<Stream>();
        start_ = std::make_unique<Event>();
        stop_ = std::make_unique<Event>();
        options_.group_size = options_.leaf_size = int(largest_direct_block);
    }

    ~CudaDirectSolver() override { settle_device(device_); }

    ForceStatistics evaluate(const Request& request) override
    {
        if (request.position.on_device || request.acceleration.on_device)
            throw Error(Fault::usage, "direct sums on a GPU: take arrays of the host");
        ForceStatistics statistics;
        const std::size_t n = request.count;
        check_number(n);
        softening_.length = request.softening_length.value_or(options_.softening.length);
        with_potential_ = bool(request.potential);
        if (n == 0)
            return statistics;
        check(cudaSetDevice(device_), "choose the device");
        {
            const TimedPhase phase(statistics.profile, "prepare");
            const DirectSources sources{rows_of(request.position, n, positions_),
                                        rows_of(request.mass, n, masses_)};
            const DirectFrame frame(sources, softening_, options_.precision,
                                    [&] { return particles_of(request); });
            send(sources, frame, request.active);
            start_->record(*stream_);
            statistics.groups = sum(frame, Index(n));
            stop_->record(*stream_);
        }
        {
            const TimedPhase phase(statistics.profile, "wait");
            const double start = wall_clock_seconds();
            stream_->wait(allowance_of_pairs(double(target_count_) * double(n)));
            statistics.device_wait = wall_clock_seconds() - start;
        }
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, *start_, *stop_), "read an event");
        statistics.device_busy = statistics.device_span = 1e-3 * milliseconds;
        statistics.targets = target_count_;
        if (options_.precision == Precision::single_precision)
            statistics.cancelling = *host_cancelling_.data();
        statistics.particle_particle = std::uint64_t(target_count_) * n;
        statistics.bytes_to_device = bytes_up_;
        statistics.bytes_from_device =
            n * (sizeof(Vec3<double>) + (with_potential_ ? sizeof(double) : 0));
        const TimedPhase phase(statistics.profile, "results");
        store(request);
        return statistics;
    }

    std::string device() const override { return name_; }
    const SolverOptions& options() const override { return options_; }

private:
    /// The items of a view that are in its memory as they are needed, or else copies.
    static std::span<const Vec3<double>> rows_of(const ArrayView& view, std::size_t n,
                                                 std::vector<Vec3<double>>& memory)
    {
        if (view.is_dense())
            return {reinterpret_cast<const Vec3<double>*>(view.component[0]), n};
        memory.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            memory[i] = view.load_vector(i);
        return memory;
    }
    static std::span<const double> rows_of(const ArrayView& view, std::size_t n,
                                           std::vector<double>& memory)
    {
        if (view.is_dense())
            return {reinterpret_cast<const double*>(view.component[0]), n};
        memory.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            memory[i] = view.load(i);
        return memory;
    }

    void send(const DirectSources& sources, const DirectFrame& frame, std::span<const Index> active)
    {
        const std::size_t n = sources.mass.size();
        for (Index i : active)
            if (i >= n)
                throw Error(Fault::input, "active particles: index: " + std::to_string(i) +
                                              ": must be below " + std::to_string(n));
        Source* staged = host_particles_.reserve(n);
        const double inverse_length = 1 / frame.length, inverse_mass = 1 / frame.mass;
#pragma omp parallel for if (n > worth_threads)
        for (std::size_t i = 0; i < n; ++i)
            staged[i] = {inverse_length * sources.position[i], inverse_mass * sources.mass[i]};
        upload(particles_, staged, n, *stream_);
        Index* targets = host_active_.reserve(active.size());
        std::copy(active.begin(), active.end(), targets);
        std::sort(targets, targets + active.size());
        target_count_ = Index(std::unique(targets, targets + active.size()) - targets);
        upload(active_, targets, target_count_, *stream_);
        all_active_ = active.empty();
        if (all_active_)
            target_count_ = Index(n);
        bytes_up_ = n * sizeof(Source) + (all_active_ ? 0 : target_count_ * sizeof(Index));
    }

    /// Queues the sum of all sources for all targets; returns the number of blocks of targets.
    Index sum(const DirectFrame& frame, Index n)
    {
        ForceOutput units;
        units.set_units(options_.gravitational_constant, {frame.length, frame.mass});
        DirectSum job{};
        job.particles = particles_.data();
        job.origin = (1 / frame.length) * frame.origin;
        job.source_count = n;
        job.target_count = target_count_;
        job.softening_length = softening_.length / frame.length;
        job.acceleration_unit = units.acceleration_unit;
        job.potential_unit = units.potential_unit;
        const bool mapped = n <= most_to_map;
        job.acceleration = host_acceleration_.reserve(n);
        job.potential = host_potential_.reserve(with_potential_ ? n : 0);
        if (!mapped) {
            job.acceleration = acceleration_.reserve(n);
            job.potential = potential_.reserve(with_potential_ ? n : 0);
        }
        job.cancelling.seen = host_cancelling_.reserve(1);
        const Index blocks = summer_.sum(
            job,
            {frame.masses, frame.scaled, with_potential_, all_active_ ? nullptr : active_.data()},
            *stream_);
        if (!mapped) {
            download(host_acceleration_.data(), job.acceleration, n, *stream_);
            download(host_potential_.data(), job.potential, with_potential_ ? n : 0, *stream_);
        }
        return blocks;
    }

    /// The caller's number of a target.
    Index target(std::size_t t)
    {
        return all_active_ ? Index(t) : host_active_.data()[t];
    }

    void store(const Request& request)
    {
        const std::size_t targets = target_count_;
        std::size_t not_finite = 0;
#pragma omp parallel for if (targets > worth_threads) reduction(+ : not_finite)
        for (std::size_t t = 0; t < targets; ++t) {
            const Index i = target(t);
            request.acceleration.store_vector(i, host_acceleration_.data()[i]);
            if (with_potential_)
                request.potential.store(i, 0, host_potential_.data()[i]);
            not_finite += !is_finite(i);
        }
        if (not_finite == 0)
            return;
        std::vector<Index> singular;
        for (std::size_t t = 0; t < targets; ++t) {
            if (!is_finite(target(t)))
                singular.push_back(target(t));
        }
        SolverOptions exact = options_;
        exact.softening = softening_;
        Particles particles = particles_of(request);
        particles.potential.resize(request.count);
        repair_singular_targets(particles, singular, exact, Quantities::acceleration_potential);
        for (const Index i : singular) {
            request.acceleration.store_vector(i, particles.acceleration[i]);
            if (with_potential_)
                request.potential.store(i, 0, particles.potential[i]);
        }
    }

    /// Whether the sums that the device has written are.
    bool is_finite(std::size_t i)
    {
        const Vec3<double>& a = host_acceleration_.data()[i];
        return std::isfinite(a.x + a.y + a.z + (with_potential_ ? host_potential_.data()[i] : 0));
    }

    SolverOptions options_;
    Softening softening_; // of the present evaluation
    int device_;
    std::string name_;
    bool with_potential_ = false, all_active_ = true;
    Index target_count_ = 0;
    std::uint64_t bytes_up_ = 0;
    DirectSummer summer_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> start_, stop_;

    std::vector<Vec3<double>> positions_;
    std::vector<double> masses_;
    PinnedBuffer<Source> host_particles_;
    PinnedBuffer<Index> host_active_;
    PinnedBuffer<Vec3<double>> host_acceleration_;
    PinnedBuffer<double> host_potential_;
    PinnedBuffer<unsigned> host_cancelling_;
    DeviceBuffer<Source> particles_;
    DeviceBuffer<Index> active_;
    DeviceBuffer<Vec3<double>> acceleration_;
    DeviceBuffer<double> potential_;
};

} // namespace

std::unique_ptr<Solver> make_cuda_direct_solver(int device, const SolverOptions& options)
{
    return std::make_unique<CudaDirectSolver>(device, options);
}

} // namespace chamomile
