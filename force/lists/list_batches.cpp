#include "chamomile/force/lists/list_batches.hpp"

#include <algorithm>

#include "chamomile/core/first_exception.hpp"

namespace chamomile {

void submit_batches(const TargetGroups& groups, Evaluator& evaluator, int batch_size,
                    const ListClusters& list, ForceStatistics& statistics)
{
    const TimedPhase phase(statistics.profile, "walk");
    // A batch is a whole number of clusters, with about the wanted number of groups.
    const std::size_t n = groups.clusters.size();
    const std::size_t wanted = batch_size > 0 ? std::size_t(batch_size) : evaluator.batch_size();
    const std::size_t batch =
        std::max<std::size_t>(1, wanted * n / std::max<std::size_t>(1, groups.groups.size()));
    const std::size_t batches = (n + batch - 1) / batch;
    std::uint64_t particle_pairs = 0, cell_pairs = 0, expansions = 0;
    FirstException first;
#pragma omp parallel for if (batches > 1) schedule(dynamic, 1) reduction(+ : particle_pairs, cell_pairs, expansions)
    for (std::size_t b = 0; b < batches; ++b)
        first.run([&] {
            auto lists = evaluator.new_lists();
            const std::size_t begin = b * batch, end = std::min(n, begin + batch);
            list(*lists, begin, end);
            for (const ListRow& row : lists->rows) {
                const std::uint64_t targets = row.target_end - row.target_begin;
                particle_pairs += targets * row.particle_count;
                cell_pairs += targets * (row.cell_end - row.cell_begin);
            }
            expansions += lists->far_cells.size();
            evaluator.submit(std::move(lists));
        });
    if (first.caught()) {
        evaluator.finish(); // no work may be pending when the caller sees the error
        first.rethrow();
    }
    statistics.particle_particle = particle_pairs;
    statistics.particle_cell = cell_pairs;
    statistics.expansions = expansions;
    statistics.batches = batches;
}

} // namespace chamomile
