// Sums pairs on the device: rows up, an order along a curve, one kernel, sums back.
//
// With a cutoff or excluded pairs, the host sorts the rows and lists each block's tiles and
// excluded pairs. Otherwise the device does all work. Contraction: fused.
#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
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
        start_ = std::make_unique<Event>();
        stop_ = std::make_unique<Event>();
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
        const double* from = host_sums_.data();
        const std::size_t width = std::size_t(code_.shape.sum);
        if (on_host_)
            for (Index k = 0; k < targets_.size(); ++k)
                std::copy(from + k * width, from + (k + 1) * width,
                          sums.data() + targets_.number(k) * width);
        else
            std::copy(from, from + sums.size(), sums.begin());
        return statistics;
    }

    void wait(PairStatistics& statistics)
    {
        const TimedPhase phase(statistics.profile, "wait");
        stream_->wait(allowance_of_pairs(double(statistics.pairs)));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, *start_, *stop_), "read an event");
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
            const DeviceLaw::Kernel kernel = pair_kernel(code_, device_, cut, precise_);
            blocks_.list(systems.offsets, unsigned(32 * kernel.per_lane));
            job.systems = blocks_.on_device(systems_, *stream_);
            job.target_count = blocks_.targets();
            statistics.pairs = blocks_.pairs();
            job.sources = task.sources.data();
            job.sums = sums.data();
            double extent = systems.extent;
            if (!systems.on_device) {
                send(task.sources, host_sources_, source_rows_);
                job.sources = source_rows_.data();
                job.sums = sums_.reserve(sums.size());
                if (code_.positions)
                    extent = box_of_rows(task.sources, code_.shape.source).longest_side();
            }
            units_.set_extent(code_.positions && !precise_ ? extent : 0);
            start_->record(*stream_);
            statistics.groups = launcher_.launch(kernel, cut, code_, units_, job, *stream_);
            stop_->record(*stream_);
            if (!systems.on_device)
                download(host_sums_.reserve(sums.size()), job.sums, sums.size(), *stream_);
        }
        wait(statistics);
        if (!systems.on_device)
            std::copy(host_sums_.data(), host_sums_.data() + sums.size(), sums.begin());
        return statistics;
    }

    void queue(const PairTask& task, PairStatistics& statistics)
    {
        const unsigned n = unsigned(statistics.targets), m = unsigned(statistics.sources);
        const bool within = std::isfinite(options_.cutoff);
        const bool lists = !task.excluded.begin.empty() || is_elsewhere(task);
        on_host_ = within || lists;
        const PairCut cut = within ? PairCut::cutoff : pair_cut(n, m);
        const DeviceLaw::Kernel kernel = pair_kernel(code_, device_, cut, precise_);
        PairJob job{};
        job.target_count = n;
        job.source_count = m;
        if (on_host_)
            sort_on_host(task, unsigned(32 * kernel.per_lane), job);
        else
            sort_on_device(task, job);
        const std::size_t sums = std::size_t(n) * std::size_t(code_.shape.sum);
        job.sums = sums_.reserve(sums);
        start_->record(*stream_);
        statistics.groups = launcher_.launch(kernel, cut, code_, units_, job, *stream_);
        stop_->record(*stream_);
        download(host_sums_.reserve(sums), job.sums, sums, *stream_);
        statistics.pairs = within ? lists_.pairs : std::uint64_t(n) * m;
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
        std::copy(rows.begin(), rows.end(), copy);
        upload(to, copy, rows.size(), *stream_);
    }

    void sort_on_device(const PairTask& task, PairJob& job)
    {
        send(task.targets, host_targets_, target_rows_);
        send(task.sources, host_sources_, source_rows_);
        job.targets = target_rows_.data();
        job.sources = source_rows_.data();
        if (!task.self.empty()) {
            unsigned* staged = host_self_.reserve(task.self.size());
            std::copy(task.self.begin(), task.self.end(), staged);
            upload(self_, staged, task.self.size(), *stream_);
            job.self = self_.data();
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
        order_.sort({job.targets, job.target_count, code_.shape.target}, all, target_order_,
                    *stream_);
        order_.sort({job.sources, job.source_count, code_.shape.source}, all, source_order_,
                    *stream_);
        job.target_order = target_order_.data();
        job.source_order = source_order_.data();
        job.boxes = boxes(job);
    }

    void sort_on_host(const PairTask& task, unsigned block, PairJob& job)
    {
        if (code_.positions) {
            targets_.sort(task.targets, code_.shape.target, options_.period);
            sources_.sort(task.sources, code_.shape.source, options_.period);
        } else {
            targets_.take(task.targets, code_.shape.target);
            sources_.take(task.sources, code_.shape.source);
        }
        double extent = 0;
        if (code_.positions && !precise_) {
            Box all = box_of(targets_, 0, targets_.size());
            all.add(box_of(sources_, 0, sources_.size()));
            extent = all.longest_side();
        }
        units_.set_extent(extent);
        send({targets_.row(0), task.targets.size()}, host_targets_, target_rows_);
        send({sources_.row(0), task.sources.size()}, host_sources_, source_rows_);
        job.targets = target_rows_.data();
        job.sources = source_rows_.data();
        lists_.make(targets_, sources_, block, task, options_);
        if (!lists_.tiles_begin.empty()) {
            static_assert(sizeof(PairTileEntry) == sizeof(TileEntry));
            upload(tiles_, reinterpret_cast<const PairTileEntry*>(lists_.tiles.data()),
                   lists_.tiles.size(), *stream_);
            upload(tiles_begin_, lists_.tiles_begin.data(), lists_.tiles_begin.size(), *stream_);
            job.tiles = tiles_.reserve(1);
            job.tiles_begin = tiles_begin_.data();
        }
        if (!lists_.excluded.empty()) {
            static_assert(sizeof(PairExcluded) == sizeof(ExcludedPair));
            upload(excluded_, reinterpret_cast<const PairExcluded*>(lists_.excluded.data()),
                   lists_.excluded.size(), *stream_);
            upload(excluded_begin_, lists_.excluded_begin.data(), lists_.excluded_begin.size(),
                   *stream_);
            job.excluded = excluded_.data();
            job.excluded_begin = excluded_begin_.data();
        }
        for (std::size_t k = 0; k < lists_.images.size(); ++k)
            job.images[k] = lists_.images[k];
        if (code_.positions && !precise_)
            job.boxes = boxes(job);
    }

    const TileBox<double>* boxes(const PairJob& job)
    {
        const unsigned m = job.source_count;
        TileBox<double>* boxes = boxes_.reserve((m + pair_tile - 1) / pair_tile);
        find_tile_boxes({job.sources, m, code_.shape.source}, job.source_order, boxes, *stream_);
        return boxes;
    }

    const LawCode code_;
    LawUnits units_;
    const PairOptions options_;
    const int device_;
    const bool precise_;
    std::string name_;
    bool on_host_ = false;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Event> start_, stop_;

    TargetParts parts_;
    SortedRows targets_, sources_;
    BlockLists lists_;
    RowOrder order_;
    PinnedBuffer<double> host_targets_, host_sources_, host_sums_;
    PinnedBuffer<unsigned> host_self_;
    PairLauncher launcher_;
    SystemBlocks blocks_;
    DeviceBuffer<PairSystem> systems_;
    DeviceBuffer<double> target_rows_, source_rows_, sums_;
    DeviceBuffer<unsigned> target_order_, source_order_, self_, tiles_begin_, excluded_begin_;
    DeviceBuffer<TileBox<double>> boxes_;
    DeviceBuffer<PairTileEntry> tiles_;
    DeviceBuffer<PairExcluded> excluded_;
};

} // namespace

std::unique_ptr<PairSolver> make_cuda_pair_solver(int device, const LawCode& code, const void* law,
                                                  const PairOptions& options)
{
    return std::make_unique<CudaPairSolver>(device, code, law, options);
}

} // namespace chamomile
