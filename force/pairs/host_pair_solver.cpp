// Sums pairs on CPU cores: rows along a curve, groups of targets, tiles, kernels.
#include "chamomile/force/pairs/host_pair_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/first_exception.hpp"
#include "chamomile/force/pairs/block_lists.hpp"
#include "chamomile/force/pairs/law_units.hpp"

namespace chamomile {
namespace {

/// Numbers of pairs and targets. Below either, all tiles count as near, which costs less than
/// sorting.
constexpr std::size_t worth_sorting = 1 << 22, targets_worth_sorting = 4096;
constexpr std::size_t parallel_items = 32; ///< min number, to occupy all threads
constexpr std::size_t tiles_of_item = 16;  ///< min number

/// A HostPairSolver sums pairs on the host's threads. Its many members are sorted rows and buffers,
/// kept between sums.
class HostPairSolver final : public PairSolver {
public:
    HostPairSolver(const LawCode& code, const void* law, const PairOptions& options)
        : code_(code), units_(code_, law), options_(options),
          set_(find_instruction_set(options.instruction_set)),
          precise_(options.precision == Precision::double_precision),
          kernel_(code.host[set_][precise_])
    {
        if (!kernel_)
            throw Error(Fault::device, code.name +
                                           ": instruction set: " + instruction_set_names[set_] +
                                           ": the law was not compiled for this instruction set");
    }

    PairStatistics sum(const PairTask& task, std::span<double> sums) override
    {
        look_for_interruption();
        check_rows(code_, task, sums);
        look_for_interruption();
        return task.systems.empty() ? sum_one(task, sums) : sum_systems(task, sums);
    }

    std::string device() const override
    {
        return std::string("CPU, ") + instruction_set_names[set_] + ", " +
               std::to_string(omp_get_max_threads()) + " threads";
    }

private:
    PairStatistics sum_one(const PairTask& task, std::span<double> sums)
    {
        PairStatistics statistics;
        {
            const TimedPhase phase(statistics.profile, "sort");
            prepare(task);
        }
        statistics.targets = targets_.size();
        statistics.sources = sources_.size();
        statistics.groups = groups();
        const TimedPhase phase(statistics.profile, "pairs");
        if (targets_.size() > 0)
            statistics.pairs = sum_groups(task, sums);
        return statistics;
    }

    /// Sums whole systems in each thread, by the thread's own solver: the bits of single calls.
    PairStatistics sum_systems(const PairTask& task, std::span<double> sums)
    {
        if (within_cutoff())
            throw Error(Fault::usage, code_.name + ": systems: need an infinite cut-off");
        const std::span<const std::uint64_t> offsets = task.systems.offsets;
        std::uint64_t largest = 0, pairs = 0;
        for (std::size_t b = 1; b < offsets.size(); ++b) {
            const std::uint64_t n = offsets[b] - offsets[b - 1];
            largest = std::max(largest, n);
            pairs += n * n;
        }
        for (Index i = Index(self_.size()); i < largest; ++i)
            self_.push_back(i);
        while (of_threads_.size() < std::size_t(omp_get_max_threads()))
            of_threads_.push_back(
                std::make_unique<HostPairSolver>(code_, units_.given(), options_));
        PairStatistics statistics;
        statistics.pairs = pairs;
        statistics.targets = statistics.sources = offsets.back();
        statistics.groups = task.systems.size();
        const TimedPhase phase(statistics.profile, "pairs");
        const auto rows = [](auto values, int width, std::uint64_t begin, std::uint64_t end) {
            return values.subspan(begin * std::uint64_t(width),
                                  (end - begin) * std::uint64_t(width));
        };
        FirstException first;
#pragma omp parallel for schedule(dynamic, 8) if (is_worth_waking(pairs))
        for (std::size_t b = 0; b < task.systems.size(); ++b)
            first.run([&] {
                HostPairSolver& solver = *of_threads_[std::size_t(omp_get_thread_num())];
                const std::uint64_t begin = offsets[b], end = offsets[b + 1];
                if (begin == end)
                    return;
                PairTask system;
                system.sources = rows(task.sources, code_.shape.source, begin, end);
                system.targets = solver.without(system.sources, task.systems.left_out);
                system.self = std::span(self_).first(end - begin);
                solver.prepare(system);
                solver.sum_groups(system, rows(sums, code_.shape.sum, begin, end));
            });
        if (first.caught())
            first.rethrow();
        return statistics;
    }

    /// Returns the sources' rows without one value.
    std::span<const double> without(std::span<const double> sources, int value)
    {
        target_rows_.clear();
        const std::size_t width = std::size_t(code_.shape.source);
        for (std::size_t k = 0; k < sources.size(); ++k)
            if (k % width != std::size_t(value))
                target_rows_.push_back(sources[k]);
        return target_rows_;
    }

    struct Thread {
        KernelScratch scratch;
        std::vector<TileEntry> tiles, far;
        std::vector<ExcludedPair> excluded;
        std::vector<double> sums;
    };

    bool within_cutoff() const
    {
        return std::isfinite(options_.cutoff);
    }

    void prepare(const PairTask& task)
    {
        const LawShape& shape = code_.shape;
        const std::size_t targets = task.targets.size() / std::size_t(shape.target),
                          sources = task.sources.size() / std::size_t(shape.source);
        sorted_ =
            code_.positions && (within_cutoff() || (!precise_ && targets >= targets_worth_sorting &&
                                                    targets * sources > worth_sorting));
        if (sorted_) {
            targets_.sort(task.targets, shape.target, options_.period);
            sources_.sort(task.sources, shape.source, options_.period);
            tree_.build(sources_, options_.period);
        } else {
            targets_.take(task.targets, shape.target);
            sources_.take(task.sources, shape.source);
        }
        ranks_.clear();
        if (!task.self.empty() || !task.excluded.begin.empty())
            ranks_ = sources_.ranks();
        group_size_ = options_.group_size > 0 ? Index(options_.group_size)
                      : within_cutoff()       ? 64
                                              : 128;
        double extent = 0;
        if (code_.positions && !precise_) {
            Box all;
            all.add(box_of(targets_, 0, targets_.size()));
            all.add(box_of(sources_, 0, sources_.size()));
            extent = all.longest_side();
        }
        units_.set_extent(extent);
    }

    std::size_t groups() const
    {
        return (targets_.size() + group_size_ - 1) / group_size_;
    }

    std::uint64_t sum_groups(const PairTask& task, std::span<double> sums)
    {
        const std::size_t groups = this->groups();
        const std::size_t tiles = (sources_.size() + pair_tile - 1) / pair_tile;
        const std::size_t parts =
            within_cutoff()
                ? 1
                : std::clamp<std::size_t>(parallel_items / groups, 1,
                                          std::max<std::size_t>(1, tiles / tiles_of_item));
        const std::size_t width = std::size_t(code_.shape.sum);
        if (parts > 1)
            partial_.resize(parts * targets_.size() * width);
        threads_.resize(std::size_t(omp_get_max_threads()));
        const auto sum_item = [&](std::size_t item, Thread& thread) {
            const std::size_t group = item / parts, part = item % parts;
            const Index begin = Index(group * group_size_),
                        end = Index(std::min<std::size_t>(targets_.size(), begin + group_size_));
            const std::uint64_t pairs = sum_group(task, begin, end, part, parts, thread);
            for (Index k = begin; k < end; ++k) {
                const double* from = thread.sums.data() + (k - begin) * width;
                double* to = parts > 1 ? partial_.data() + (part * targets_.size() + k) * width
                                       : sums.data() + targets_.number(k) * width;
                std::copy(from, from + width, to);
            }
            return pairs;
        };
        if (groups * parts == 1)
            return sum_item(0, threads_[0]);
        std::uint64_t pairs = 0;
        FirstException first;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : pairs) if (is_worth_waking(std::uint64_t(targets_.size()) * sources_.size()))
        for (std::size_t item = 0; item < groups * parts; ++item)
            first.run(
                [&] { pairs += sum_item(item, threads_[std::size_t(omp_get_thread_num())]); });
        if (first.caught())
            first.rethrow();
        for (Index k = 0; parts > 1 && k < targets_.size(); ++k)
            for (std::size_t f = 0; f < width; ++f) {
                double sum = 0;
                for (std::size_t part = 0; part < parts; ++part)
                    sum += partial_[(part * targets_.size() + k) * width + f];
                sums[targets_.number(k) * width + f] = sum;
            }
        return pairs;
    }

    /// Returns whether other threads would wake before one thread finishes the work.
    static bool is_worth_waking(std::uint64_t pairs)
    {
        return pairs > (std::uint64_t(1) << 16);
    }

    std::uint64_t sum_group(const PairTask& task, Index begin, Index end, std::size_t part,
                            std::size_t parts, Thread& thread) const
    {
        thread.tiles.clear();
        thread.far.clear();
        Box box;
        if (code_.positions)
            box = box_of(targets_, begin, end);
        else
            box.add(Vec3<double>{});
        list_tiles(box, thread);
        const std::size_t near = thread.tiles.size();
        thread.tiles.insert(thread.tiles.end(), thread.far.begin(), thread.far.end());
        const std::size_t first = thread.tiles.size() * part / parts,
                          last = thread.tiles.size() * (part + 1) / parts;
        find_excluded(task, targets_, ranks_, begin, end, thread.excluded);
        thread.sums.resize((end - begin) * std::size_t(code_.shape.sum));
        static constexpr Vec3<double> no_image[1] = {};
        PairGroupWork work{};
        work.law = units_.law();
        work.targets = targets_.row(begin);
        work.target_count = end - begin;
        work.sources = sources_.row(0);
        work.source_count = sources_.size();
        work.tiles = thread.tiles.data() + first;
        work.tiles_end = thread.tiles.data() + last;
        work.near_end = thread.tiles.data() + std::clamp(near, first, last);
        work.excluded = thread.excluded.data();
        work.excluded_end = work.excluded + thread.excluded.size();
        work.images = sorted_ ? tree_.images().data() : no_image;
        work.center = precise_ ? Vec3<double>{} : box.center(); // doubles need no center
        work.target_scale = units_.target_scale();
        work.source_scale = units_.source_scale();
        work.sum_scale = units_.sum_scale();
        work.sums = thread.sums.data();
        kernel_(work, thread.scratch);
        std::uint64_t seen = 0;
        for (const TileEntry* t = work.tiles; t < work.tiles_end; ++t)
            seen += std::min<Index>(pair_tile, sources_.size() - Index(t->tile) * pair_tile);
        return seen * (end - begin);
    }

    void list_tiles(const Box& box, Thread& thread) const
    {
        if (sorted_) {
            // Tiles within about the mean distance between targets are near.
            const double near = precise_ ? -1 : 0.25 * box.longest_side();
            tree_.list(box, {options_.cutoff, near}, thread.tiles, thread.far);
            return;
        }
        std::vector<TileEntry>& tiles = code_.positions && !precise_ ? thread.tiles : thread.far;
        for (Index t = 0; std::size_t(t) * pair_tile < sources_.size(); ++t)
            tiles.push_back({t & 0x7ffffff, 0});
    }

    const LawCode code_;
    LawUnits units_;
    const PairOptions options_;
    const int set_;
    const bool precise_;
    const PairKernel kernel_;
    bool sorted_ = false;
    Index group_size_ = 1;
    SortedRows targets_, sources_;
    TileTree tree_;
    std::vector<Index> ranks_;
    std::vector<double> partial_;
    std::vector<Thread> threads_;
    std::vector<Index> self_;                                 // 0, 1, 2, ...
    std::vector<double> target_rows_;                         // of a system
    std::vector<std::unique_ptr<HostPairSolver>> of_threads_; // for systems
};

} // namespace

std::unique_ptr<PairSolver> make_host_pair_solver(const LawCode& code, const void* law,
                                                  const PairOptions& options)
{
    return std::make_unique<HostPairSolver>(code, law, options);
}

} // namespace chamomile
