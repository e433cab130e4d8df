#include "chamomile/tree/key_sorter.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>
#include <utility>

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

void KeySorter::sort(std::span<const Vec3<double>> positions, const RootCube& cube,
                     Boundaries& boundaries, std::pmr::vector<Index>& order,
                     std::span<const GlobalIndex> number)
{
    const std::size_t n = positions.size();
    resize_discarding(keys_, n);
    resize_discarding(order, n);
    compute_keys(positions, cube, keys_);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t k = 0; k < n; ++k)
        order[k] = Index(k);
    look_for_interruption();
    radix_sort(keys_, order, scratch_, number);
    look_for_interruption();
    find_boundaries(boundaries);
}

namespace {

/// Keys with positions' indices, by rising key, then by rising index.
using KeyedPlaces = std::vector<std::pair<Key, Index>>;

KeyedPlaces keyed_places(std::span<const Vec3<double>> positions, const RootCube& cube,
                         std::size_t begin, std::size_t end)
{
    std::vector<Key> keys(end - begin);
    compute_keys(positions.subspan(begin, end - begin), cube, keys);
    KeyedPlaces places(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k)
        places[k] = {keys[k], Index(begin + k)};
    std::ranges::sort(places);
    return places;
}

/// Sorts the indices of equal keys by `number`.
void order_by_number(std::span<const Key> keys, std::span<Index> order,
                     std::span<const GlobalIndex> number)
{
    const std::size_t n = keys.size();
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t end = k + 1;
        if (end == n || keys[k] != keys[end] || (k > 0 && keys[k - 1] == keys[k]))
            continue;
        while (end < n && keys[end] == keys[k])
            ++end;
        std::ranges::sort(order.subspan(k, end - k), {}, [&](Index i) { return number[i]; });
    }
}

} // namespace

void KeySorter::sort_merged(const SortedRun& sorted, std::span<const Vec3<double>> positions,
                            const RootCube& cube, Boundaries& boundaries,
                            std::pmr::vector<Index>& order, std::span<const GlobalIndex> number)
{
    const std::size_t n = positions.size(), own = sorted.keys.size();
    if (2 * own < n)
        return sort(positions, cube, boundaries, order, number);
    const KeyedPlaces before = keyed_places(positions, cube, 0, sorted.first),
                      behind = keyed_places(positions, cube, sorted.first + own, n);
    resize_discarding(keys_, n);
    resize_discarding(order, n);
    const std::size_t parts = std::clamp<std::size_t>(own / 4096, 1, 1024);
    const auto key_of = [](const KeyedPlaces::value_type& place) { return place.first; };
    // With equal keys, positions before the sorted run come first and positions behind it last.
    const auto cuts = [&](std::size_t part) {
        if (part == parts)
            return std::array{before.size(), own, behind.size()};
        const std::size_t at = part * own / parts;
        if (part == 0)
            return std::array<std::size_t, 3>{0, 0, 0};
        const Key key = sorted.keys[at];
        return std::array{
            std::size_t(std::ranges::upper_bound(before, key, {}, key_of) - before.begin()), at,
            std::size_t(std::ranges::lower_bound(behind, key, {}, key_of) - behind.begin())};
    };
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t part = 0; part < parts; ++part) {
        auto [b, s, h] = cuts(part);
        const auto [b_end, s_end, h_end] = cuts(part + 1);
        for (std::size_t k = b + s + h; k < b_end + s_end + h_end; ++k) {
            const bool from_before = b < b_end &&
                                     (s == s_end || before[b].first <= sorted.keys[s]) &&
                                     (h == h_end || before[b].first <= behind[h].first);
            const bool from_sorted =
                !from_before && s < s_end && (h == h_end || sorted.keys[s] <= behind[h].first);
            if (from_sorted) {
                keys_[k] = sorted.keys[s];
                order[k] = Index(sorted.first + s++);
            } else
                std::tie(keys_[k], order[k]) = from_before ? before[b++] : behind[h++];
        }
    }
    if (!number.empty())
        order_by_number(keys_, order, number);
    look_for_interruption();
    find_boundaries(boundaries);
}

void KeySorter::find_boundaries(Boundaries& boundaries) const
{
    const std::size_t n = keys_.size();
    assert(std::is_sorted(keys_.begin(), keys_.end()));
    boundaries.resize(n);
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t block = 0; block < boundaries.block_min.size(); ++block) {
        const std::size_t begin = block * Boundaries::block;
        const std::size_t end = std::min(n, begin + Boundaries::block);
        std::uint8_t min = key_levels;
        for (std::size_t k = begin; k < end; ++k) {
            const Boundary b = boundary_between(keys_[k], keys_[std::min(k + 1, n - 1)]);
            boundaries.level[k] = b.level;
            boundaries.octants[k] = b.octants;
            min = std::min(min, b.level);
        }
        boundaries.block_min[block] = min;
    }
}

} // namespace chamomile
