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
        : options_(options), device_(device), summer_(options.softening, options.precision)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        stream_ = std::make_unique<Stream>();
        events_ = std::make_unique<Events>();
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
        now_ = {.part = part, .softening = options_.softening};
        const std::size_t n = request.count;
        check_number(n);
        set_softening(request);
        now_.has_potential = bool(request.potential);
        if (n == 0)
            return statistics;
        check(cudaSetDevice(device_), "choose the device");
        take(request, statistics);
        // A few particles that hardly move keep their frame. The sum starts with the last frame;
        // the frame is compared with the new extent afterwards.
        bool is_guess = now_.on_device && n <= max_to_guess && guess_.count == n;
        DirectFrame frame = is_guess ? guess_.frame : frame_of(request);
        sum(request, frame, statistics);
        if (is_guess) {
            const DirectFrame right = frame_of(request);
            is_guess = frame == right;
            if (!is_guess)
                sum(request, frame = right, statistics);
        }
        guess_ = {frame, n};
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, events_->start, events_->stop), "read an event");
        statistics.device_busy = statistics.device_span = 1e-3 * milliseconds;
        statistics.targets = now_.own;
        if (options_.precision == Precision::single_precision && now_.own > 0)
            statistics.cancelling = *here_.cancelling.data();
        statistics.particle_particle = std::uint64_t(now_.own) * n;
        statistics.bytes_to_device = now_.bytes_up;
        if (!now_.on_device && now_.own > 0)
            statistics.bytes_from_device =
                (is_mapped(request) ? now_.own : n) *
                    (sizeof(Vec3<double>) + (now_.has_potential ? sizeof(double) : 0)) +
                (is_part() ? now_.own * sizeof(Index) : 0);
        const TimedPhase phase(statistics.profile, "results");
        store(request);
        return statistics;
    }

    /// Sets the softening of this evaluation.
    void set_softening(const Request& request)
    {
        const SofteningLengths lengths =
            softening_lengths(request.softening, request.count, request.softening_length, options_);
        now_.softening.length = lengths.length;
        now_.min_softening = lengths.min;
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
        now_.on_device = request.position.on_device;
        if (request.mass.on_device != now_.on_device ||
            request.acceleration.on_device != now_.on_device ||
            (now_.has_potential && request.potential.on_device != now_.on_device) ||
            (request.softening.on_device && !now_.on_device))
            throw Error(Fault::usage,
                        "direct sums on a GPU: arrays: must all be on the host or all on the GPU");
        if (request.rung && !now_.on_device)
            throw Error(Fault::usage, "rungs: need arrays on a GPU; pass active particles instead");
        if (now_.on_device) {
            if (request.stream) {
                events_->owner.record(static_cast<cudaStream_t>(request.stream));
                check(cudaStreamWaitEvent(*stream_, events_->owner),
                      "wait for the caller's stream");
            } else {
                for (const ArrayView* array :
                     {&request.position, &request.mass, &request.acceleration, &request.potential})
                    require_on_device(*array, device_);
                wait_for_owner();
            }
            arrays_.find_extent(request.position, request.mass, n, *stream_);
        } else {
            sources_ = {rows_of(request.position, n, here_.positions),
                        rows_of(request.mass, n, here_.masses)};
        }
    }

    /// Returns the frame of the particles read by take().
    DirectFrame frame_of(const Request& request)
    {
        if (now_.on_device)
            stream_->wait();
        return DirectFrame(now_.on_device ? arrays_.extent() : extent_of(sources_), request.count,
                           now_.softening, options_.precision, [&] { return host_copy(request); });
    }

    /// Sums in this frame, and waits.
    void sum(const Request& request, const DirectFrame& frame, ForceStatistics& statistics)
    {
        {
            const TimedPhase phase(statistics.profile, "prepare");
            send(request, frame);
            events_->start.record(*stream_);
            statistics.groups = queue_sum(request, frame);
            events_->stop.record(*stream_);
        }
        const TimedPhase phase(statistics.profile, "wait");
        const double start = wall_clock_seconds();
        stream_->wait(allowance_of_pairs(double(now_.own) * double(request.count)));
        statistics.device_wait += wall_clock_seconds() - start;
    }

    /// Returns the particles of a request, from host or device.
    Particles host_copy(const Request& request) const
    {
        if (!now_.on_device)
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
        if (now_.min_softening) {
            particles.softening = read_rows(request.softening, n, 1, options_.device);
            for (double& length : particles.softening)
                length = std::min(length, now_.softening.length);
        }
        return particles;
    }

    /// Uploads sources in the frame's units, and the list of targets.
    void send(const Request& request, const DirectFrame& frame)
    {
        const std::size_t n = request.count;
        now_.bytes_up = 0;
        if (now_.on_device) {
            arrays_.pack(request.position, request.mass, n, frame, there_.particles.reserve(n),
                         *stream_);
        } else {
            Source* staged = here_.particles.reserve(n);
            const double inverse_length = 1 / frame.length, inverse_mass = 1 / frame.mass;
#pragma omp parallel for if (n > worth_threads)
            for (std::size_t i = 0; i < n; ++i)
                staged[i] = {inverse_length * sources_.position[i],
                             inverse_mass * sources_.mass[i]};
            upload(there_.particles, staged, n, *stream_);
            now_.bytes_up = n * sizeof(Source);
        }
        if (now_.min_softening)
            send_softenings(request, frame);
        now_.all_active = request.active.empty() && !request.rung;
        if (request.rung)
            now_.targets =
                arrays_.find_targets(request.rung, request.first, n, there_.active, *stream_);
        else
            send_targets(request.active, n);
    }

    void send_softenings(const Request& request, const DirectFrame& frame)
    {
        const std::size_t n = request.count;
        const ArrayView& view = request.softening;
        const double longest = now_.softening.length, inverse_length = 1 / frame.length;
        if (view.on_device)
            return arrays_.pack_softenings(view, longest, n, frame, there_.squares.reserve(n),
                                           *stream_);
        double* staged = here_.squares.reserve(n);
#pragma omp parallel for if (n > worth_threads)
        for (std::size_t i = 0; i < n; ++i) {
            const double scaled = inverse_length * std::min(view.load(i), longest);
            staged[i] = scaled * scaled;
        }
        upload(there_.squares, staged, n, *stream_);
        now_.bytes_up += n * sizeof(double);
    }

    void send_targets(std::span<const Index> active, std::size_t n)
    {
        for (Index i : active)
            if (i >= n)
                throw Error(Fault::input, "active particles: index: " + std::to_string(i) +
                                              ": must be below " + std::to_string(n));
        Index* targets = here_.active.reserve(active.size());
        std::copy(active.begin(), active.end(), targets);
        std::sort(targets, targets + active.size());
        now_.targets = Index(std::unique(targets, targets + active.size()) - targets);
        upload(there_.active, targets, now_.targets, *stream_);
        now_.bytes_up += now_.targets * sizeof(Index);
        if (active.empty())
            now_.targets = Index(n);
    }

    /// Queues the sum of all sources for this part's targets. Returns the number of target blocks.
    Index queue_sum(const Request& request, const DirectFrame& frame)
    {
        const Index n = Index(request.count);
        now_.own = 0;
        if (now_.targets == 0)
            return 0;
        ForceOutput units;
        units.set_units(options_.gravitational_constant, {frame.length, frame.mass});
        DirectSum job{};
        job.particles = there_.particles.data();
        job.origin = (1 / frame.length) * frame.origin;
        job.source_count = n;
        job.target_count = now_.targets;
        job.softening_length = now_.min_softening.value_or(now_.softening.length) / frame.length;
        job.softening = now_.min_softening ? there_.squares.data() : nullptr;
        job.acceleration_unit = units.acceleration_unit;
        job.potential_unit = units.potential_unit;
        if (!now_.on_device) {
            job.acceleration = here_.acceleration.reserve(n);
            job.potential = here_.potential.reserve(now_.has_potential ? n : 0);
        }
        if (!is_mapped(request)) {
            job.acceleration = there_.acceleration.reserve(n);
            job.potential = there_.potential.reserve(now_.has_potential ? n : 0);
        }
        job.cancelling.seen = here_.cancelling.reserve(1);
        const DirectTargets summed =
            summer_.sum(job,
                        {.masses = frame.masses,
                         .scaled = frame.scaled,
                         .with_potential = now_.has_potential,
                         .active = now_.all_active ? nullptr : there_.active.data(),
                         .part = now_.part},
                        *stream_);
        now_.own = summed.count;
        if (is_part())
            download(here_.numbers.reserve(now_.own), summed.number, now_.own, *stream_);
        if (now_.on_device) {
            arrays_.put({job.acceleration, now_.has_potential ? job.potential : nullptr,
                         now_.all_active ? nullptr : there_.active.data(), now_.targets},
                        request.acceleration, request.potential, *stream_);
        } else if (!is_mapped(request) && now_.own > 0) {
            download(here_.acceleration.data(), job.acceleration, n, *stream_);
            download(here_.potential.data(), job.potential, now_.has_potential ? n : 0, *stream_);
        }
        return summed.blocks;
    }

    /// True if the kernel writes sums to host memory: for few particles, or if not all particles
    /// are targets here, so that only targets are copied.
    bool is_mapped(const Request& request) const
    {
        return !now_.on_device && (request.count <= max_to_map || !now_.all_active || is_part());
    }

    bool is_part() const
    {
        return now_.part.parts > 1;
    }

    /// Returns the caller's index of this part's target t.
    Index target(std::size_t t)
    {
        return is_part()         ? here_.numbers.data()[t]
               : now_.all_active ? Index(t)
                                 : here_.active.data()[t];
    }

    void store(const Request& request)
    {
        if (now_.on_device) {
            if (now_.targets > 0 && !arrays_.all_finite())
                repair_there(request);
            return;
        }
        const std::size_t targets = now_.own;
        std::size_t not_finite = 0;
#pragma omp parallel for if (targets > worth_threads) reduction(+ : not_finite)
        for (std::size_t t = 0; t < targets; ++t) {
            const Index i = target(t);
            request.acceleration.store_vector(i, here_.acceleration.data()[i]);
            if (now_.has_potential)
                request.potential.store(i, 0, here_.potential.data()[i]);
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
            if (now_.has_potential)
                request.potential.store(i, 0, particles.potential[i]);
        }
    }

    void repair(Particles& particles, std::span<const Index> singular) const
    {
        SolverOptions exact = options_;
        exact.softening = now_.softening;
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
        if (now_.has_potential)
            read_from_device(device_, request.potential, n, phi.data());
        std::vector<Index> targets(now_.targets), singular;
        if (now_.all_active)
            std::iota(targets.begin(), targets.end(), Index(0));
        else
            check(cudaMemcpy(targets.data(), there_.active.data(), targets.size() * sizeof(Index),
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
        if (now_.has_potential)
            write_to_device(device_, phi.data(), n, request.potential);
    }

    /// True if the device's sums for particle i are finite.
    bool is_finite(std::size_t i)
    {
        const Vec3<double>& a = here_.acceleration.data()[i];
        return std::isfinite(a.x + a.y + a.z +
                             (now_.has_potential ? here_.potential.data()[i] : 0));
    }

    /// The request that is evaluated.
    struct Now {
        TargetPart part;
        Softening softening;                      ///< per particle: the longest
        std::optional<double> min_softening = {}; ///< per particle: the min
        bool has_potential = false, all_active = true, on_device = false;
        Index targets = 0; ///< of all parts
        Index own = 0;     ///< targets of this part
        std::uint64_t bytes_up = 0;
    };
    struct Guess {
        DirectFrame frame; ///< of the last evaluation
        std::size_t count = 0;
    };
    struct Events {
        Event start, stop; ///< of the sum
        Event owner;       ///< of the arrays' owner
    };
    struct HostArrays {
        std::vector<Vec3<double>> positions; ///< of views that are not dense
        std::vector<double> masses;
        PinnedBuffer<Source> particles;
        PinnedBuffer<double> squares;
        PinnedBuffer<Index> active;
        PinnedBuffer<Index> numbers; ///< targets of a part
        PinnedBuffer<Vec3<double>> acceleration;
        PinnedBuffer<double> potential;
        PinnedBuffer<unsigned> cancelling;
    };
    struct DeviceArrays {
        DeviceBuffer<Source> particles;
        DeviceBuffer<double> squares; ///< eps^2 in the frame's units
        DeviceBuffer<Index> active;
        DeviceBuffer<Vec3<double>> acceleration;
        DeviceBuffer<double> potential;
    };

    SolverOptions options_;
    int device_;
    std::string name_;
    Now now_;
    DirectSummer summer_;
    DirectArrays arrays_;
    DirectSources sources_;
    Guess guess_;
    std::unique_ptr<Stream> stream_; // as the events, of the device that the constructor chooses
    std::unique_ptr<Events> events_;
    HostArrays here_;
    DeviceArrays there_;
};

} // namespace

std::unique_ptr<DirectSolver> make_cuda_direct_solver(int device, const SolverOptions& options)
{
    return std::make_unique<CudaDirectSolver>(device, options);
}

} // namespace chamomile
