// The direct sum on the device: no tree, no lists; one copy up, one sum, one copy back.
//
// For few particles, or some targets only, the kernel writes sums directly into host memory. Device
// arrays stay on the device. Contraction: fused.
#include <algorithm>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/strided_io.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/gpu/direct/direct_arrays.cuh"
#include "chamomile/gpu/direct/direct_frame.hpp"
#include "chamomile/gpu/direct/direct_summer.cuh"
#include "chamomile/tree/octree.hpp"

namespace chamomile {
namespace {

constexpr Index max_to_map = 4096;          ///< up to this count, kernels write sums to host
                                            ///< memory
constexpr std::size_t max_to_guess = 65536; ///< up to this count, a sum starts before its extent
                                            ///< is known

class CudaDirectSolver final : public DirectSolver {
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
        owner_ = std::make_unique<Event>();
    }

    ~CudaDirectSolver() override { synchronize_device(device_); }

    ForceStatistics evaluate(const Request& request) override { return evaluate(request, {}); }

    ForceStatistics evaluate_part(const Request& request, const TargetPart& part,
                                  std::vector<Index>& numbers) override
    {
        numbers.clear();
        if (request.position.on_device)
            throw Error(Fault::usage,
                        "part of the targets: arrays are on the GPU: must be on the host");
        const ForceStatistics statistics = evaluate(request, part);
        numbers.resize(statistics.targets);
        for (std::size_t t = 0; t < numbers.size(); ++t)
            numbers[t] = target(t);
        return statistics;
    }

    bool takes_device_arrays() const override { return true; }
    std::string device() const override { return name_; }
    const SolverOptions& options() const override { return options_; }

private:
    ForceStatistics evaluate(const Request& request, const TargetPart& part)
    {
        require_whole(request);
        ForceStatistics statistics;
        part_ = part;
        const std::size_t n = request.count;
        check_number(n);
        set_softening(request);
        with_potential_ = bool(request.potential);
        if (n == 0)
            return statistics;
        check(cudaSetDevice(device_), "choose the device");
        take(request, statistics);
        // A few particles that hardly move keep their frame. The sum starts with the last frame;
        // the frame is compared with the new extent afterwards.
        bool is_guess = on_device_ && n <= max_to_guess && guess_count_ == n;
        DirectFrame frame = is_guess ? guess_ : frame_of(request);
        sum(request, frame, statistics);
        if (is_guess) {
            const DirectFrame right = frame_of(request);
            is_guess = frame == right;
            if (!is_guess)
                sum(request, frame = right, statistics);
        }
        guess_ = frame;
        guess_count_ = n;
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, *start_, *stop_), "read an event");
        statistics.device_busy = statistics.device_span = 1e-3 * milliseconds;
        statistics.targets = part_count_;
        if (options_.precision == Precision::single_precision && part_count_ > 0)
            statistics.cancelling = *host_cancelling_.data();
        statistics.particle_particle = std::uint64_t(part_count_) * n;
        statistics.bytes_to_device = bytes_up_;
        if (!on_device_ && part_count_ > 0)
            statistics.bytes_from_device =
                (is_mapped(request) ? part_count_ : n) *
                    (sizeof(Vec3<double>) + (with_potential_ ? sizeof(double) : 0)) +
                (is_part() ? part_count_ * sizeof(Index) : 0);
        const TimedPhase phase(statistics.profile, "results");
        store(request);
        return statistics;
    }

    /// Sets the softening of this evaluation.
    void set_softening(const Request& request)
    {
        const SofteningLengths lengths =
            softening_lengths(request.softening, request.count, request.softening_length, options_);
        softening_.length = lengths.length;
        per_particle_ = lengths.min.has_value();
        min_softening_ = lengths.min.value_or(0);
    }

    /// Returns the items of a view, copied if they are not dense.
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

    /// Reads positions and masses.
    void take(const Request& request, ForceStatistics& statistics)
    {
        const TimedPhase phase(statistics.profile, "prepare");
        const std::size_t n = request.count;
        on_device_ = request.position.on_device;
        if (request.mass.on_device != on_device_ || request.acceleration.on_device != on_device_ ||
            (with_potential_ && request.potential.on_device != on_device_) ||
            (request.softening.on_device && !on_device_))
            throw Error(Fault::usage,
                        "direct sums on a GPU: arrays: must all be on the host or all on the GPU");
        if (request.rung && !on_device_)
            throw Error(Fault::usage, "rungs: need arrays on a GPU; pass active particles instead");
        if (on_device_) {
            if (request.stream) {
                owner_->record(static_cast<cudaStream_t>(request.stream));
                check(cudaStreamWaitEvent(*stream_, *owner_), "wait for the caller's stream");
            } else {
                for (const ArrayView* array :
                     {&request.position, &request.mass, &request.acceleration, &request.potential})
                    require_on_device(*array, device_);
                wait_for_owner();
            }
            arrays_.find_extent(request.position, request.mass, n, *stream_);
        } else {
            sources_ = {rows_of(request.position, n, positions_),
                        rows_of(request.mass, n, masses_)};
        }
    }

    /// Returns the frame of the particles read by take().
    DirectFrame frame_of(const Request& request)
    {
        if (on_device_)
            stream_->wait();
        return DirectFrame(on_device_ ? arrays_.extent() : extent_of(sources_), request.count,
                           softening_, options_.precision, [&] { return host_copy(request); });
    }

    /// Sums in this frame, and waits.
    void sum(const Request& request, const DirectFrame& frame, ForceStatistics& statistics)
    {
        {
            const TimedPhase phase(statistics.profile, "prepare");
            send(request, frame);
            start_->record(*stream_);
            statistics.groups = queue_sum(request, frame);
            stop_->record(*stream_);
        }
        const TimedPhase phase(statistics.profile, "wait");
        const double start = wall_clock_seconds();
        stream_->wait(allowance_of_pairs(double(part_count_) * double(request.count)));
        statistics.device_wait += wall_clock_seconds() - start;
    }

    /// Returns the particles of a request, from host or device.
    Particles host_copy(const Request& request) const
    {
        if (!on_device_)
            return particles_of(request);
        const std::size_t n = request.count;
        std::vector<double> rows(3 * n);
        Particles particles;
        particles.resize(n);
        read_from_device(device_, request.position, n, rows.data());
        for (std::size_t i = 0; i < n; ++i) {
            particles.position[i] = {rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]};
            particles.id[i] = request.id.empty() ? i : request.id[i];
        }
        read_from_device(device_, request.mass, n, particles.mass.data());
        if (per_particle_) {
            particles.softening = read_rows(request.softening, n, 1, options_.device);
            for (double& length : particles.softening)
                length = std::min(length, softening_.length);
        }
        return particles;
    }

    /// Uploads sources in the frame's units, and the list of targets.
    void send(const Request& request, const DirectFrame& frame)
    {
        const std::size_t n = request.count;
        bytes_up_ = 0;
        if (on_device_) {
            arrays_.pack(request.position, request.mass, n, frame, particles_.reserve(n), *stream_);
        } else {
            Source* staged = host_particles_.reserve(n);
            const double inverse_length = 1 / frame.length, inverse_mass = 1 / frame.mass;
#pragma omp parallel for if (n > worth_threads)
            for (std::size_t i = 0; i < n; ++i)
                staged[i] = {inverse_length * sources_.position[i],
                             inverse_mass * sources_.mass[i]};
            upload(particles_, staged, n, *stream_);
            bytes_up_ = n * sizeof(Source);
        }
        if (per_particle_)
            send_softenings(request, frame);
        all_active_ = request.active.empty() && !request.rung;
        if (request.rung)
            target_count_ = arrays_.find_targets(request.rung, request.first, n, active_, *stream_);
        else
            send_targets(request.active, n);
    }

    void send_softenings(const Request& request, const DirectFrame& frame)
    {
        const std::size_t n = request.count;
        const ArrayView& view = request.softening;
        const double longest = softening_.length, inverse_length = 1 / frame.length;
        if (view.on_device)
            return arrays_.pack_softenings(view, longest, n, frame, squares_.reserve(n), *stream_);
        double* staged = host_squares_.reserve(n);
#pragma omp parallel for if (n > worth_threads)
        for (std::size_t i = 0; i < n; ++i) {
            const double scaled = inverse_length * std::min(view.load(i), longest);
            staged[i] = scaled * scaled;
        }
        upload(squares_, staged, n, *stream_);
        bytes_up_ += n * sizeof(double);
    }

    void send_targets(std::span<const Index> active, std::size_t n)
    {
        for (Index i : active)
            if (i >= n)
                throw Error(Fault::input, "active particles: index: " + std::to_string(i) +
                                              ": must be below " + std::to_string(n));
        Index* targets = host_active_.reserve(active.size());
        std::copy(active.begin(), active.end(), targets);
        std::sort(targets, targets + active.size());
        target_count_ = Index(std::unique(targets, targets + active.size()) - targets);
        upload(active_, targets, target_count_, *stream_);
        bytes_up_ += target_count_ * sizeof(Index);
        if (active.empty())
            target_count_ = Index(n);
    }

    /// Queues the sum of all sources for this part's targets. Returns the number of target blocks.
    Index queue_sum(const Request& request, const DirectFrame& frame)
    {
        const Index n = Index(request.count);
        part_count_ = 0;
        if (target_count_ == 0)
            return 0;
        ForceOutput units;
        units.set_units(options_.gravitational_constant, {frame.length, frame.mass});
        DirectSum job{};
        job.particles = particles_.data();
        job.origin = (1 / frame.length) * frame.origin;
        job.source_count = n;
        job.target_count = target_count_;
        job.softening_length = (per_particle_ ? min_softening_ : softening_.length) / frame.length;
        job.softening = per_particle_ ? squares_.data() : nullptr;
        job.acceleration_unit = units.acceleration_unit;
        job.potential_unit = units.potential_unit;
        if (!on_device_) {
            job.acceleration = host_acceleration_.reserve(n);
            job.potential = host_potential_.reserve(with_potential_ ? n : 0);
        }
        if (!is_mapped(request)) {
            job.acceleration = acceleration_.reserve(n);
            job.potential = potential_.reserve(with_potential_ ? n : 0);
        }
        job.cancelling.seen = host_cancelling_.reserve(1);
        const DirectTargets summed = summer_.sum(job,
                                                 {.masses = frame.masses,
                                                  .scaled = frame.scaled,
                                                  .with_potential = with_potential_,
                                                  .active = all_active_ ? nullptr : active_.data(),
                                                  .part = part_},
                                                 *stream_);
        part_count_ = summed.count;
        if (is_part())
            download(host_numbers_.reserve(part_count_), summed.number, part_count_, *stream_);
        if (on_device_) {
            arrays_.put({job.acceleration, with_potential_ ? job.potential : nullptr,
                         all_active_ ? nullptr : active_.data(), target_count_},
                        request.acceleration, request.potential, *stream_);
        } else if (!is_mapped(request) && part_count_ > 0) {
            download(host_acceleration_.data(), job.acceleration, n, *stream_);
            download(host_potential_.data(), job.potential, with_potential_ ? n : 0, *stream_);
        }
        return summed.blocks;
    }

    /// True if the kernel writes sums to host memory: for few particles, or if not all particles
    /// are targets here, so that only targets are copied.
    bool is_mapped(const Request& request) const
    {
        return !on_device_ && (request.count <= max_to_map || !all_active_ || is_part());
    }

    bool is_part() const
    {
        return part_.parts > 1;
    }

    /// Returns the caller's index of this part's target t.
    Index target(std::size_t t)
    {
        return is_part()     ? host_numbers_.data()[t]
               : all_active_ ? Index(t)
                             : host_active_.data()[t];
    }

    void store(const Request& request)
    {
        if (on_device_) {
            if (target_count_ > 0 && !arrays_.all_finite())
                repair_there(request);
            return;
        }
        const std::size_t targets = part_count_;
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
        std::sort(singular.begin(), singular.end()); // so that the first is named
        Particles particles = host_copy(request);
        repair(particles, singular);
        for (const Index i : singular) {
            request.acceleration.store_vector(i, particles.acceleration[i]);
            if (with_potential_)
                request.potential.store(i, 0, particles.potential[i]);
        }
    }

    void repair(Particles& particles, std::span<const Index> singular) const
    {
        SolverOptions exact = options_;
        exact.softening = softening_;
        particles.potential.resize(particles.size());
        repair_singular_targets(particles, singular, exact, Quantities::acceleration_potential);
    }

    /// Repairs sums in device arrays through the host.
    void repair_there(const Request& request)
    {
        const std::size_t n = request.count;
        Particles particles = host_copy(request);
        std::vector<double> a(3 * n), phi(n);
        read_from_device(device_, request.acceleration, n, a.data());
        if (with_potential_)
            read_from_device(device_, request.potential, n, phi.data());
        std::vector<Index> targets(target_count_), singular;
        if (all_active_)
            std::iota(targets.begin(), targets.end(), Index(0));
        else
            check(cudaMemcpy(targets.data(), active_.data(), targets.size() * sizeof(Index),
                             cudaMemcpyDeviceToHost),
                  "read the targets");
        for (const Index i : targets)
            if (!std::isfinite(a[3 * i] + a[3 * i + 1] + a[3 * i + 2] + phi[i]))
                singular.push_back(i);
        repair(particles, singular);
        for (const Index i : singular) {
            std::copy_n(&particles.acceleration[i].x, 3, &a[3 * i]);
            phi[i] = particles.potential[i];
        }
        write_to_device(device_, a.data(), n, request.acceleration);
        if (with_potential_)
            write_to_device(device_, phi.data(), n, request.potential);
    }

    /// True if the device's sums for particle i are finite.
    bool is_finite(std::size_t i)
    {
        const Vec3<double>& a = host_acceleration_.data()[i];
        return std::isfinite(a.x + a.y + a.z + (with_potential_ ? host_potential_.data()[i] : 0));
    }

    SolverOptions options_;
    Softening softening_;       // of this evaluation; with per-particle softening, the longest
    bool per_particle_ = false; // per-particle softening
    double min_softening_ = 0;  // the min, with per-particle softening
    int device_;
    std::string name_;
    bool with_potential_ = false, all_active_ = true, on_device_ = false;
    TargetPart part_;        // of this evaluation
    Index target_count_ = 0; // of all parts
    Index part_count_ = 0;   // of this part
    std::uint64_t bytes_up_ = 0;
    DirectSummer summer_;
    DirectArrays arrays_;
    DirectSources sources_;
    DirectFrame guess_; // of the last evaluation
    std::size_t guess_count_ = 0;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> start_, stop_, owner_; // of the sum, and of the arrays' owner

    std::vector<Vec3<double>> positions_;
    std::vector<double> masses_;
    PinnedBuffer<Source> host_particles_;
    PinnedBuffer<double> host_squares_;
    PinnedBuffer<Index> host_active_;
    PinnedBuffer<Index> host_numbers_; // targets of a part
    PinnedBuffer<Vec3<double>> host_acceleration_;
    PinnedBuffer<double> host_potential_;
    PinnedBuffer<unsigned> host_cancelling_;
    DeviceBuffer<Source> particles_;
    DeviceBuffer<double> squares_; // eps^2 in the frame's units
    DeviceBuffer<Index> active_;
    DeviceBuffer<Vec3<double>> acceleration_;
    DeviceBuffer<double> potential_;
};

} // namespace

std::unique_ptr<DirectSolver> make_cuda_direct_solver(int device, const SolverOptions& options)
{
    return std::make_unique<CudaDirectSolver>(device, options);
}

} // namespace chamomile
