#include "chamomile/force/ranks/migration.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "chamomile/core/ranks/column_exchange.hpp"
#include "chamomile/tree/domain/coarse_tree.hpp"

namespace chamomile {

Migration first_migration(std::span<const Vec3<double>> position, std::span<const double> mass,
                          Communicator& ranks)
{
    const Rows rows{.position = position, .mass = mass};
    constexpr std::uint64_t leaves_per_rank = 64;
    const CommonCube common = common_cube(RowsSeen::of(rows), "particle", ranks);
    const std::uint64_t all = common.rows, p = std::uint64_t(ranks.size());
    KeyedRows sorted;
    sorted.sort(rows, common.cube);
    const CoarseTree coarse =
        CoarseTreeMaker().make([&](auto cells, auto counts) { sorted.count(cells, counts); }, all,
                               std::max<std::uint64_t>(1, all / (leaves_per_rank * p)), ranks);
    const std::vector<std::size_t> begins = coarse.begins(sorted);
    Migration way;
    std::size_t leaf = 0;
    for (std::uint64_t r = 0; r <= p; ++r) {
        while (leaf < coarse.leaves.size() && coarse.particles_before[leaf] < r * all / p)
            ++leaf;
        way.begins.push_back(begins[leaf]);
    }
    Inbox inbox;
    ranks.all_to_all<Key>(runs_of(std::span<const Key>(sorted.keys), way.begins), inbox);
    const std::span<const Key> arrived = inbox.all<Key>();
    way.leaving.assign(sorted.order.begin(), sorted.order.end());
    sorted.keys.assign(arrived.begin(), arrived.end());
    way.arriving.resize(arrived.size());
    std::iota(way.arriving.begin(), way.arriving.end(), Index(0));
    radix_sort(sorted.keys, way.arriving, sorted.scratch);
    return way;
}

} // namespace chamomile
