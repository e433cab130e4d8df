#include "chamomile/force/pairs/block_lists.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/first_exception.hpp"

namespace chamomile {
namespace {

/// Concatenates the lists from all blocks.
template <class Entry>
void join(const std::vector<std::vector<Entry>>& lists, std::vector<Entry>& all,
          std::vector<std::uint32_t>& begin)
{
    begin.assign(1, 0);
    all.clear();
    for (const std::vector<Entry>& list : lists) {
        if (all.size() + list.size() > 0xffffffffu)
            throw Error(Fault::input, "lists of tiles: more than 2^32 entries: use a smaller "
                                      "cut-off or fewer targets per call");
        all.insert(all.end(), list.begin(), list.end());
        begin.push_back(std::uint32_t(all.size()));
    }
}

} // namespace

Box box_of_rows(std::span<const double> rows, int width)
{
    Box box;
    for (std::size_t k = 0; k < rows.size(); k += std::size_t(width))
        box.add(Vec3<double>{rows[k], rows[k + 1], rows[k + 2]});
    return box;
}

void find_excluded(const PairTask& task, const SortedRows& targets, std::span<const Index> ranks,
                   Index begin, Index end, std::vector<ExcludedPair>& excluded)
{
    excluded.clear();
    const auto add = [&](Index source, Index t) {
        excluded.push_back({ranks.empty() ? source : ranks[source], t});
    };
    for (Index k = begin; k < end; ++k) {
        const Index i = targets.number(k);
        if (!task.self.empty() && task.self[i] != no_source)
            add(task.self[i], k - begin);
        if (!task.excluded.begin.empty())
            for (std::uint64_t e = task.excluded.begin[i]; e < task.excluded.begin[i + 1]; ++e)
                add(task.excluded.sources[e], k - begin);
    }
    std::sort(excluded.begin(), excluded.end(),
              [](const ExcludedPair& a, const ExcludedPair& b) { return a.source < b.source; });
}

void BlockLists::make(const SortedRows& targets, const SortedRows& sources, Index size,
                      const PairTask& task, const PairOptions& options)
{
    const std::size_t blocks = (targets.size() + size - 1) / size;
    const bool within = std::isfinite(options.cutoff);
    TileTree tree;
    images.assign(1, Vec3<double>{});
    if (within) {
        tree.build(sources, options.period);
        images = tree.images();
    }
    std::vector<std::vector<TileEntry>> tile_lists(within ? blocks : 0);
    std::vector<std::vector<ExcludedPair>> excluded_lists(blocks);
    const std::vector<Index> ranks = sources.ranks();
    std::uint64_t seen = 0;
    FirstException first;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : seen)
    for (std::size_t b = 0; b < blocks; ++b)
        first.run([&] {
            const Index begin = Index(b * size),
                        end = Index(std::min<std::size_t>(targets.size(), begin + size));
            find_excluded(task, targets, ranks, begin, end, excluded_lists[b]);
            if (!within)
                return;
            // Lists every tile as far: the kernel itself finds the near ones.
            std::vector<TileEntry> near;
            tree.list(box_of(targets, begin, end), {options.cutoff, -1}, near, tile_lists[b]);
            for (const TileEntry& t : tile_lists[b])
                seen += std::min<Index>(pair_tile, sources.size() - Index(t.tile) * pair_tile) *
                        std::uint64_t(end - begin);
        });
    if (first.caught())
        first.rethrow();
    pairs = seen;
    join(tile_lists, tiles, tiles_begin);
    if (!within)
        tiles_begin.clear();
    join(excluded_lists, excluded, excluded_begin);
}

} // namespace chamomile
