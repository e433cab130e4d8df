// Sums pairs on the device: rows up, an order along a curve, one kernel, sums back.
//
// With a cutoff or excluded pairs, the host sorts the rows and lists each block's tiles and
// excluded pairs. Otherwise the device does all work. Contraction: fused.
#include <algorithm>
#include <cmath>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/pairs/block_lists.hpp"
#include "chamomile/force/pairs/host_pair_solver.hpp"
#include "chamomile/force/pairs/target_parts.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/pairs/pair_launch.cuh"
#include "chamomile/gpu/pairs/pair_order.cuh"
#include "chamomile/gpu/pairs/system_blocks.cuh"

namespace chamomile {
namespace {

class CudaPairSolver final : public PairSolver {
public:
    CudaPairSolver(int device, const LawCode& code, const void* law, const PairOptions& options)
        : code_(code), units_(code_, law), options_(options), device_(device),
          precise_(options.precision == Precision::double_precision)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        pair_kernel(code_, device_, PairCut::many, precise_); // throws
        stream_ = std::make_unique<Stream>();
        events_ = std::make_unique<Events>();
    }

    ~CudaPairSolver() override { synchronize_device(device_); }

    PairStatistics sum(const PairTask& task, std::span<double> sums) override
    {
        check_rows(code_, task, sums);
        if (!task.systems.empty())
            return sum_systems(task, sums);
        return parts_.sum(code_.shape, task, sums, [&](const PairTask& part, std::span<double> to) {
            synchronize_device(device_); // a part that failed may have left work running
            return sum_at_once(part, to);
        });
    }

    std::string device() const override { return name_; }

private:
    PairStatistics sum_at_once(const PairTask& task, std::span<double> sums)
    {
        PairStatistics statistics;
        statistics.targets = task.targets.size() / std::size_t(code_.shape.target);
        statistics.sources = task.sources.size() / std::size_t(code_.shape.source);
        if (statistics.targets == 0 || statistics.sources == 0) {
            std::fill(sums.begin(), sums.end(), 0.0);
            return statistics;
        }
        check(cudaSetDevice(device_), "choose the device");
        {
            const TimedPhase phase(statistics.profile, "prepare");
            queue(task, statistics);
        }
        wait(statistics);
        const TimedPhase phase(statistics.profile, "results");
        const double* from = here_.sums.data();
        const std::size_t width = std::size_t(code_.shape.sum);
        if (sorted_.is_used)
            for (Index k = 0; k < sorted_.targets.size(); ++k)
                std::copy(from + k * width, from + (k + 1) * width,
                          sums.data() + sorted_.targets.number(k) * width);
        else
            std::copy(from, from + sums.size(), sums.begin());
        return statistics;
    }

    void wait(PairStatistics& statistics)
    {
        const TimedPhase phase(statistics.profile, "wait");
        stream_->wait(allowance_of_pairs(double(statistics.pairs)));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, events_->start, events_->stop), "read an event");
        statistics.device_busy = 1e-3 * milliseconds;
    }

    /// Sums small systems, each by blocks of its own.
    PairStatistics sum_systems(const PairTask& task, std::span<double> sums)
    {
        const SmallSystems& systems = task.systems;
        if (std::isfinite(options_.cutoff))
            throw Error(Fault::usage, code_.name + ": systems: need an infinite cut-off");
        PairStatistics statistics;
        statistics.targets = statistics.sources = systems.offsets.back();
        if (statistics.targets == 0)
            return statistics;
        check(cudaSetDevice(device_), "choose the device");
        {
            const TimedPhase phase(statistics.profile, "prepare");
            PairJob job{};
            job.source_count = unsigned(statistics.sources);
            job.left_out = systems.left_out;
            // Small blocks for all sizes, so that other systems change no bit. (The loop over near
            // tiles takes two targets a lane at a time in any case.)
            constexpr PairCut cut = PairCut::cutoff;
            DeviceLaw::Kernel kernel = pair_kernel(code_, device_, cut, precise_);
            kernel.shared_bytes /= unsigned(std::exchange(kernel.warps, 1));
            blocks_.list(systems.offsets, unsigned(32 * kernel.per_lane));
            job.systems = blocks_.on_device(there_.systems, *stream_);
            job.target_count = blocks_.targets();
            statistics.pairs = blocks_.pairs();
            job.sources = task.sources.data();
            job.sums = sums.data();
            double extent = systems.extent;
            if (!systems.on_device) {
                send(task.sources, here_.sources, there_.sources);
                job.sources = there_.sources.data();
                job.sums = there_.sums.reserve(sums.size());
                if (code_.positions)
                    extent = box_of_rows(task.sources, code_.shape.source).longest_side();
            }
            units_.set_extent(code_.positions && !precise_ ? extent : 0);
            events_->start.record(*stream_);
            statistics.groups = launcher_.launch(kernel, cut, code_, units_, job, *stream_);
            events_->stop.record(*stream_);
            if (!systems.on_device)
                download(here_.sums.reserve(sums.size()), job.sums, sums.size(), *stream_);
        }
        wait(statistics);
        if (!systems.on_device)
            std::copy(here_.sums.data(), here_.sums.data() + sums.size(), sums.begin());
        return statistics;
    }

    void queue(const PairTask& task, PairStatistics& statistics)
    {
        const unsigned n = unsigned(statistics.targets), m = unsigned(statistics.sources);
        const bool within = std::isfinite(options_.cutoff);
        const bool lists = !task.excluded.begin.empty() || is_elsewhere(task);
        sorted_.is_used = within || lists;
        const PairCut cut = within ? PairCut::cutoff : pair_cut(n, m);
        const DeviceLaw::Kernel kernel = pair_kernel(code_, device_, cut, precise_);
        PairJob job{};
        job.target_count = n;
        job.source_count = m;
        if (sorted_.is_used)
            sort_on_host(task, unsigned(32 * kernel.per_lane), job);
        else
            sort_on_device(task, job);
        const std::size_t sums = std::size_t(n) * std::size_t(code_.shape.sum);
        job.sums = there_.sums.reserve(sums);
        events_->start.record(*stream_);
        statistics.groups = launcher_.launch(kernel, cut, code_, units_, job, *stream_);
        events_->stop.record(*stream_);
        download(here_.sums.reserve(sums), job.sums, sums, *stream_);
        statistics.pairs = within ? sorted_.lists.pairs : std::uint64_t(n) * m;
    }

    /// True if a target's position differs from its source's: the kernel looks for self pairs only
    /// near the targets.
    bool is_elsewhere(const PairTask& task) const
    {
        if (task.self.empty() || !code_.positions)
            return false;
        const std::size_t i = std::size_t(code_.shape.target), j = std::size_t(code_.shape.source);
        bool elsewhere = false;
        for (std::size_t k = 0; k < task.self.size(); ++k)
            if (task.self[k] != no_source)
                for (int f = 0; f < 3; ++f)
                    elsewhere |= task.targets[k * i + std::size_t(f)] !=
                                 task.sources[task.self[k] * j + std::size_t(f)];
        return elsewhere;
    }

    void send(std::span<const double> rows, PinnedBuffer<double>& staged, DeviceBuffer<double>& to)
    {
        double* copy = staged.reserve(rows.size());
#pragma omp parallel for simd if (rows.size() > worth_threads)
        for (std::size_t k = 0; k < rows.size(); ++k)
            copy[k] = rows[k];
        upload(to, copy, rows.size(), *stream_);
    }

    void sort_on_device(const PairTask& task, PairJob& job)
    {
        send(task.targets, here_.targets, there_.targets);
        send(task.sources, here_.sources, there_.sources);
        job.targets = there_.targets.data();
        job.sources = there_.sources.data();
        if (!task.self.empty()) {
            unsigned* staged = here_.self.reserve(task.self.size());
            std::copy(task.self.begin(), task.self.end(), staged);
            upload(there_.self, staged, task.self.size(), *stream_);
            job.self = there_.self.data();
        }
        if (!code_.positions || precise_) {
            units_.set_extent(0);
            return;
        }
        Box all = box_of_rows(task.targets, code_.shape.target);
        all.add(box_of_rows(task.sources, code_.shape.source));
        units_.set_extent(all.longest_side());
        if (std::size_t(job.target_count) * job.source_count <= worth_sorting)
            return;
        order_.sort({job.targets, job.target_count, code_.shape.target}, all, there_.target_order,
                    *stream_);
        order_.sort({job.sources, job.source_count, code_.shape.source}, all, there_.source_order,
                    *stream_);
        job.target_order = there_.target_order.data();
        job.source_order = there_.source_order.data();
        job.boxes = boxes(job);
    }

    void sort_on_host(const PairTask& task, unsigned block, PairJob& job)
    {
        if (code_.positions) {
            sorted_.targets.sort(task.targets, code_.shape.target, options_.period);
            sorted_.sources.sort(task.sources, code_.shape.source, options_.period);
        } else {
            sorted_.targets.take(task.targets, code_.shape.target);
            sorted_.sources.take(task.sources, code_.shape.source);
        }
        double extent = 0;
        if (code_.positions && !precise_) {
            Box all = box_of(sorted_.targets, 0, sorted_.targets.size());
            all.add(box_of(sorted_.sources, 0, sorted_.sources.size()));
            extent = all.longest_side();
        }
        units_.set_extent(extent);
        send({sorted_.targets.row(0), task.targets.size()}, here_.targets, there_.targets);
        send({sorted_.sources.row(0), task.sources.size()}, here_.sources, there_.sources);
        job.targets = there_.targets.data();
        job.sources = there_.sources.data();
        sorted_.lists.make(sorted_.targets, sorted_.sources, block, task, options_);
        if (!sorted_.lists.tiles_begin.empty()) {
            static_assert(sizeof(PairTileEntry) == sizeof(TileEntry));
            upload(there_.tiles, reinterpret_cast<const PairTileEntry*>(sorted_.lists.tiles.data()),
                   sorted_.lists.tiles.size(), *stream_);
            upload(there_.tiles_begin, sorted_.lists.tiles_begin.data(),
                   sorted_.lists.tiles_begin.size(), *stream_);
            job.tiles = there_.tiles.reserve(1);
            job.tiles_begin = there_.tiles_begin.data();
        }
        if (!sorted_.lists.excluded.empty()) {
            static_assert(sizeof(PairExcluded) == sizeof(ExcludedPair));
            upload(there_.excluded,
                   reinterpret_cast<const PairExcluded*>(sorted_.lists.excluded.data()),
                   sorted_.lists.excluded.size(), *stream_);
            upload(there_.excluded_begin, sorted_.lists.excluded_begin.data(),
                   sorted_.lists.excluded_begin.size(), *stream_);
            job.excluded = there_.excluded.data();
            job.excluded_begin = there_.excluded_begin.data();
        }
        for (std::size_t k = 0; k < sorted_.lists.images.size(); ++k)
            job.images[k] = sorted_.lists.images[k];
        if (code_.positions && !precise_)
            job.boxes = boxes(job);
    }

    const TileBox<double>* boxes(const PairJob& job)
    {
        const unsigned m = job.source_count;
        TileBox<double>* boxes = there_.boxes.reserve((m + pair_tile - 1) / pair_tile);
        find_tile_boxes({job.sources, m, code_.shape.source}, job.source_order, boxes, *stream_);
        return boxes;
    }

    struct Events {
        Event start, stop;
    };
    struct HostArrays {
        PinnedBuffer<double> targets, sources, sums;
        PinnedBuffer<unsigned> self;
    };
    struct DeviceArrays {
        DeviceBuffer<double> targets, sources, sums;
        DeviceBuffer<unsigned> target_order, source_order, self;
        DeviceBuffer<TileBox<double>> boxes;
        DeviceBuffer<PairTileEntry> tiles;
        DeviceBuffer<PairExcluded> excluded;
        DeviceBuffer<unsigned> tiles_begin, excluded_begin; ///< by block
        DeviceBuffer<PairSystem> systems;
    };
    /// Rows and lists that the host sorts and makes.
    struct SortedOnHost {
        SortedRows targets, sources;
        BlockLists lists;
        bool is_used = false; ///< in this sum
    };

    const LawCode code_;
    LawUnits units_;
    const PairOptions options_;
    const int device_;
    const bool precise_;
    std::string name_;
    std::unique_ptr<Stream> stream_; // as the events, of the device that the constructor chooses
    std::unique_ptr<Events> events_;
    TargetParts parts_;
    SortedOnHost sorted_;
    RowOrder order_;
    PairLauncher launcher_;
    SystemBlocks blocks_;
    HostArrays here_;
    DeviceArrays there_;
};

} // namespace

std::unique_ptr<PairSolver> make_cuda_pair_solver(int device, const LawCode& code, const void* law,
                                                  const PairOptions& options)
{
    return std::make_unique<CudaPairSolver>(device, code, law, options);
}

} // namespace chamomile
