#include "tree/key_sorter.hpp"

#include <algorithm>

#include "core/threads.hpp"

namespace chamomile {

void KeySorter::sort(std::span<const Vec3<double>> positions, const RootCube& cube,
                     Boundaries& boundaries, std::vector<Index>& order)
{
    const std::size_t n = positions.size();
    items_.resize(n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t i = 0; i < n; ++i)
        items_[i] = {morton_key(positions[i], cube), Index(i)};
    radix_sort(items_, buffer_);
    order.resize(n);
    boundaries.resize(n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t block = 0; block < boundaries.least.size(); ++block) {
        const std::size_t begin = block * Boundaries::block;
        const std::size_t end = std::min(n, begin + Boundaries::block);
        std::uint8_t least = key_levels;
        for (std::size_t k = begin; k < end; ++k) {
            order[k] = items_[k].index;
            const Boundary b = boundary_between(items_[k].key, items_[std::min(k + 1, n - 1)].key);
            boundaries.level[k] = b.level;
            boundaries.octants[k] = b.octants;
            least = std::min(least, b.level);
        }
        boundaries.least[block] = least;
    }
}

} // namespace chamomile
