#include "chamomile/tree/key_sorter.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

void KeySorter::sort(std::span<const Vec3<double>> positions, const RootCube& cube,
                     Boundaries& boundaries, std::pmr::vector<Index>& order,
                     std::span<const Index> number)
{
    const std::size_t n = positions.size();
    keys_.resize(n);
    order.resize(n);
    compute_keys(positions, cube, keys_);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t k = 0; k < n; ++k)
        order[k] = Index(k);
    look_for_interruption();
    radix_sort(keys_, order, scratch_, number);
    look_for_interruption();
    assert(std::is_sorted(keys_.begin(), keys_.end()));
    boundaries.resize(n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t block = 0; block < boundaries.least.size(); ++block) {
        const std::size_t begin = block * Boundaries::block;
        const std::size_t end = std::min(n, begin + Boundaries::block);
        std::uint8_t least = key_levels;
        for (std::size_t k = begin; k < end; ++k) {
            const Boundary b = boundary_between(keys_[k], keys_[std::min(k + 1, n - 1)]);
            boundaries.level[k] = b.level;
            boundaries.octants[k] = b.octants;
            least = std::min(least, b.level);
        }
        boundaries.least[block] = least;
    }
}

} // namespace chamomile
