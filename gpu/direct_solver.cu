// The direct sum on the device: no tree, no lists; one copy up, one sum, one copy back.
//
// Sources are summed along a Hilbert curve whatever the caller's order. A few thousand are sorted
// by a kernel of our own, because the launches of a radix sort would take longer than the sum. Few
// targets pass the slower loop with coordinates in two floats, and the kernel writes their sums
// into host memory itself. With more targets nearly all pairs pass the fast loop.
#include <algorithm>

#include <cub/device/device_radix_sort.cuh>

#include "core/error.hpp"
#include "force/gpu.hpp"
#include "gpu/device.cuh"
#include "gpu/direct_cancelling.cuh"
#include "gpu/direct_frame.hpp"
#include "gpu/direct_order.cuh"
#include "gpu/direct_sum.cuh"
#include "gpu/rank_keys.cuh"
#include "tree/octree.hpp"

namespace chamomile {
namespace {

// Measured on an H200; docs/performance.md has the figures.
using Large = DirectShape<8, 4, 3, 4, true, true>;
using LargePlain = DirectShape<8, 4, 3, 4, true, false>;
using Medium = DirectShape<4, 4, 4, 8, true, true>;
using MediumPlain = DirectShape<4, 4, 4, 8, true, false>;
using Few = DirectShape<1, 8, 2, 8, false, false>;
using ManyDouble = DirectShape<2, 4, 4, 4, false, false>;

/// Blocks of an H200's worth: a sum is cut into parts until there are about as many.
constexpr Index few_blocks = 256, medium_blocks = 2048, large_blocks = 8192;
constexpr Index few_targets = 8192;
constexpr Index large_targets = 1 << 18;
constexpr Index most_to_map = 4096; ///< results that the kernel writes into host memory

/// The sums in float where forces cancel are off by at most so much of S / sqrt(N).
constexpr double scatter = 8.5e-6;
constexpr Index precise_blocks = 256; ///< that sum cancelling targets in double

class CudaDirectSolver final : public Solver {
public:
    CudaDirectSolver(int device, const SolverOptions& options) : options_(options), device_(device)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        stream_ = std::make_unique<Stream>();
        start_ = std::make_unique<Event>();
        check(cudaMemsetAsync(counters_.reserve(2), 0, 2 * sizeof(unsigned), *stream_),
              "clear counters");
        stop_ = std::make_unique<Event>();
        options_.group_size = options_.leaf_size = int(Large::targets);
    }

    ~CudaDirectSolver() override
    {
        cudaSetDevice(device_);
        cudaDeviceSynchronize(); // an exception may have left work under way
    }

    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        ForceStatistics statistics;
        const std::size_t n = particles.size();
        check_number(n);
        particles.acceleration.resize(n);
        with_potential_ = quantities == Quantities::acceleration_potential;
        if (with_potential_)
            particles.potential.resize(n);
        if (n == 0)
            return statistics;
        check(cudaSetDevice(device_), "choose the device");
        {
            const TimedPhase phase(statistics.profile, "prepare");
            const DirectFrame frame(particles, options_.softening, options_.precision);
            send(particles, frame, active);
            start_->record(*stream_);
            statistics.groups = sum(frame, Index(n));
            stop_->record(*stream_);
        }
        {
            const TimedPhase phase(statistics.profile, "wait");
            const double start = wall_clock_seconds();
            stream_->wait();
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
        store(particles);
        return statistics;
    }

    std::string device() const override { return name_; }
    const SolverOptions& options() const override { return options_; }

private:
    void send(const Particles& particles, const DirectFrame& frame, std::span<const Index> active)
    {
        const std::size_t n = particles.size();
        for (Index i : active)
            if (i >= n)
                throw Error(Fault::input, "active particles: index: " + std::to_string(i) +
                                              ": must be below " + std::to_string(n));
        Source* staged = host_particles_.reserve(n);
        const double inverse_length = 1 / frame.length, inverse_mass = 1 / frame.mass;
#pragma omp parallel for if (n > worth_threads)
        for (std::size_t i = 0; i < n; ++i)
            staged[i] = {inverse_length * (particles.position[i] - frame.origin),
                         inverse_mass * particles.mass[i]};
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
        const double unit = options_.gravitational_constant * frame.mass / frame.length;
        DirectSum job{};
        job.particles = particles_.data();
        job.source_count = n;
        job.target_count = target_count_;
        job.softening_length = options_.softening.length / frame.length;
        job.acceleration_unit = unit / frame.length;
        job.potential_unit = unit;
        const bool mapped = n <= most_to_map;
        job.acceleration = host_acceleration_.reserve(n);
        job.potential = host_potential_.reserve(with_potential_ ? n : 0);
        if (!mapped) {
            job.acceleration = acceleration_.reserve(n);
            job.potential = potential_.reserve(with_potential_ ? n : 0);
        }
        job.numbers = sort_along_curve(nullptr, n, order_);
        job.cancelling.limit = float(largest_cancellation(frame.masses, scatter));
        const bool plummer =
            options_.softening.kind == SofteningKind::plummer || options_.softening.length == 0;
        const Index blocks = plummer ? choose<SofteningKind::plummer>(job, frame.scaled)
                                     : choose<SofteningKind::spline>(job, false);
        if (!mapped) {
            download(host_acceleration_.data(), job.acceleration, n, *stream_);
            download(host_potential_.data(), job.potential, with_potential_ ? n : 0, *stream_);
        }
        return blocks;
    }

    /// What the fast loop needs: sources and targets along the curve, and boxes.
    void gather(DirectSum& job)
    {
        const Index n = job.source_count;
        if (!all_active_)
            job.targets = sort_along_curve(active_.data(), job.target_count, target_order_);
        SortedSource* sources = sources_.reserve(n);
        TileBox* boxes = boxes_.reserve((n + 31) / 32);
        const Index blocks = (n + gathered_per_block - 1) / gathered_per_block;
        make_room_for_clumps(job, blocks);
        gather_sources<<<blocks, gathered_per_block, 0, *stream_>>>(
            job.particles, job.numbers, n, sources, boxes, job.cancelling.clumps);
        check(cudaGetLastError(), "launch the gathering of sources");
        job.sources = sources;
        job.boxes = boxes;
    }

    void make_room_for_clumps(DirectSum& job, Index count)
    {
        CancellingJob& cancelling = job.cancelling;
        cancelling.clumps = clumps_.reserve(count);
        cancelling.clump_count = count;
        cancelling.size = sizes_.reserve(job.target_count);
        cancelling.found = found_.reserve(job.target_count);
        cancelling.count = counters_.data();
        cancelling.ended = counters_.data() + 1;
        cancelling.seen = host_cancelling_.reserve(1);
    }

    /// Those particles (null: all) in the order of the curve.
    const Index* sort_along_curve(const Index* numbers, Index n, DeviceBuffer<Index>& order)
    {
        Key *keys = keys_.reserve(n), *sorted_keys = sorted_keys_.reserve(n);
        Index *unsorted = unsorted_.reserve(n), *sorted = order.reserve(n);
        compute_hilbert_keys<<<(n + 255) / 256, 256, 0, *stream_>>>(particles_.data(), numbers, n,
                                                                    keys, unsorted);
        check(cudaGetLastError(), "launch the keys");
        if (!numbers && n <= most_to_rank) {
            rank_keys(keys, n, sorted, *stream_);
            return sorted;
        }
        const auto run = [&](void* scratch, std::size_t& bytes) {
            check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, unsorted,
                                                  sorted, n, 0, 3 * key_levels, *stream_),
                  "sort the keys");
        };
        std::size_t bytes = 0;
        run(nullptr, bytes);
        run(scratch_.reserve(bytes), bytes);
        return sorted;
    }

    template <SofteningKind kind>
    Index choose(const DirectSum& job, bool scaled)
    {
        return with_potential_ ? choose<Gravity<kind, true>>(job, scaled)
                               : choose<Gravity<kind, false>>(job, scaled);
    }

    template <class Law>
    Index choose(DirectSum job, bool scaled)
    {
        job.targets = all_active_ ? job.numbers : active_.data();
        const bool few = job.target_count <= few_targets;
        if (options_.precision == Precision::double_precision)
            return few ? launch<Law, double, Few>(job, few_blocks)
                       : launch<Law, double, ManyDouble>(job, large_blocks);
        if (few) {
            make_room_for_clumps(job, (job.source_count + 31) / 32);
            return launch<Law, float, Few>(job, few_blocks);
        }
        gather(job);
        const bool large = job.target_count >= large_targets;
        const Index blocks =
            double(job.target_count) * job.source_count > 0x1p30 ? large_blocks : medium_blocks;
        if constexpr (Law::scales)
            if (scaled)
                return large ? launch<Law, float, Large>(job, blocks)
                             : launch<Law, float, Medium>(job, blocks);
        return large ? launch<Law, float, LargePlain>(job, blocks)
                     : launch<Law, float, MediumPlain>(job, blocks);
    }

    /// Cuts the sources into parts until there are as many blocks as wanted.
    template <class Law, class T, class Shape>
    Index launch(DirectSum job, Index wanted)
    {
        using Kernel = DirectKernel<Law, T, Shape>;
        static_assert(Kernel::shared_bytes <= 48 << 10);
        const Index blocks = (job.target_count + Shape::targets - 1) / Shape::targets;
        const Index most = (job.source_count + 32 * Shape::warps - 1) / (32 * Shape::warps);
        const Index parts = std::clamp((wanted + blocks / 2) / blocks, Index(1), most);
        if (parts > 1) {
            job.partial = partial_.reserve(std::size_t(blocks) * Shape::targets * parts);
            if (blocks > arrived_count_) {
                check(cudaMemsetAsync(arrived_.reserve(blocks), 0, blocks * sizeof(unsigned),
                                      *stream_),
                      "clear counters");
                arrived_count_ = blocks;
            }
            job.arrived = arrived_.data();
        }
        direct_sum<Law, T, Shape>
            <<<dim3(blocks, parts), 32 * Shape::warps, Kernel::shared_bytes, *stream_>>>(job);
        check(cudaGetLastError(), "launch the direct sum");
        if constexpr (sizeof(T) == sizeof(float))
            sum_again<Law, Shape>(job);
        return blocks;
    }

    /// Queues the sums in double of what cancels. Few sources are worth a block for each target.
    template <class Law, class Shape>
    void sum_again(const DirectSum& job)
    {
        constexpr int per_lane = Shape::centred ? 4 : 1;
        const Index blocks = (job.target_count + 32 * per_lane - 1) / (32 * per_lane);
        find_cancelling<per_lane><<<blocks, 32 * finding_warps, 0, *stream_>>>(job);
        check(cudaGetLastError(), "launch the search for cancelling targets");
        if (job.source_count > most_to_rank)
            sum_cancelling<Law, 4><<<precise_blocks, precise_threads, 0, *stream_>>>(job);
        else
            sum_cancelling<Law, 1><<<precise_blocks, precise_threads, 0, *stream_>>>(job);
        check(cudaGetLastError(), "launch the sums of cancelling targets");
    }

    /// The caller's number of a target.
    Index target(std::size_t t)
    {
        return all_active_ ? Index(t) : host_active_.data()[t];
    }

    void store(Particles& particles)
    {
        const std::size_t targets = target_count_;
        std::size_t not_finite = 0;
#pragma omp parallel for if (targets > worth_threads) reduction(+ : not_finite)
        for (std::size_t t = 0; t < targets; ++t) {
            const Index i = target(t);
            particles.acceleration[i] = host_acceleration_.data()[i];
            if (with_potential_)
                particles.potential[i] = host_potential_.data()[i];
            not_finite += !is_finite(particles, i);
        }
        if (not_finite == 0)
            return;
        std::vector<Index> singular;
        for (std::size_t t = 0; t < targets; ++t) {
            if (!is_finite(particles, target(t)))
                singular.push_back(target(t));
        }
        repair_singular_targets(particles, singular, options_,
                                with_potential_ ? Quantities::acceleration_potential
                                                : Quantities::acceleration);
    }

    bool is_finite(const Particles& particles, std::size_t i) const
    {
        const Vec3<double>& a = particles.acceleration[i];
        return std::isfinite(a.x + a.y + a.z + (with_potential_ ? particles.potential[i] : 0));
    }

    SolverOptions options_;
    int device_;
    std::string name_;
    bool with_potential_ = false, all_active_ = true;
    Index target_count_ = 0;
    std::uint64_t bytes_up_ = 0;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> start_, stop_;

    PinnedBuffer<Source> host_particles_;
    PinnedBuffer<Index> host_active_;
    PinnedBuffer<Vec3<double>> host_acceleration_;
    PinnedBuffer<double> host_potential_;
    PinnedBuffer<unsigned> host_cancelling_;
    DeviceBuffer<Source> particles_;
    DeviceBuffer<Index> active_, unsorted_, order_, target_order_;
    DeviceBuffer<Key> keys_, sorted_keys_;
    DeviceBuffer<char> scratch_;
    DeviceBuffer<SortedSource> sources_;
    DeviceBuffer<TileBox> boxes_;
    DeviceBuffer<TargetSum> partial_;
    DeviceBuffer<unsigned> arrived_; // all zero between sums
    Index arrived_count_ = 0;
    DeviceBuffer<Clump> clumps_;
    DeviceBuffer<float> sizes_;
    DeviceBuffer<Index> found_;
    DeviceBuffer<unsigned> counters_; // of cancelling targets and blocks, zero between sums
    DeviceBuffer<Vec3<double>> acceleration_;
    DeviceBuffer<double> potential_;
};

} // namespace

std::unique_ptr<Solver> make_cuda_direct_solver(int device, const SolverOptions& options)
{
    return std::make_unique<CudaDirectSolver>(device, options);
}

} // namespace chamomile
