#include "chamomile/analysis/halos/linking_cells.hpp"

#include <algorithm>
#include <utility>

#include "chamomile/core/counting_sort.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

LinkingCells::LinkingCells(std::span<const Vec3<double>> position, const Periodicity& box,
                           double linking_length)
    : LinkingGrid(position, finite_box(position), box, linking_length)
{
    sort(position);
    find_cells();
}

/// Sorts into ranges of whole rows by counting, then each range by cell and index, in cache.
void LinkingCells::sort(std::span<const Vec3<double>> position)
{
    const std::size_t n = position.size();
    const std::uint64_t all_rows = std::uint64_t(extent[0] * extent[1]);
    const std::size_t wanted = std::clamp<std::size_t>(n / 512, 1, 1 << 16);
    const std::uint64_t in_bucket = std::max<std::uint64_t>(1, (all_rows + wanted - 1) / wanted);
    const std::size_t buckets = std::size_t(all_rows / in_bucket) + 1;
    SortedIndices sorted = sorted_by(n, buckets, [&](std::size_t i) {
        return row_of(periodicity.wrapped(position[i])) / in_bucket;
    });
    order = std::move(sorted.order);
    bucket_ = std::move(sorted.begin);
    place.resize(n);
#pragma omp parallel if (n > worth_threads)
    {
        std::vector<std::pair<std::uint64_t, Index>> keyed;
#pragma omp for schedule(dynamic, 16)
        for (std::size_t b = 0; b < buckets; ++b) {
            keyed.clear();
            for (std::size_t k = bucket_[b]; k < bucket_[b + 1]; ++k)
                keyed.push_back({key_of(periodicity.wrapped(position[order[k]])), order[k]});
            std::sort(keyed.begin(), keyed.end());
            for (std::size_t k = bucket_[b]; k < bucket_[b + 1]; ++k) {
                order[k] = keyed[k - bucket_[b]].second;
                place[k] = periodicity.wrapped(position[order[k]]);
            }
        }
    }
}

/// Counts the cells and rows of each range, then fills the arrays.
void LinkingCells::find_cells()
{
    const std::size_t buckets = bucket_.size() - 1;
    std::vector<std::uint32_t> cell_at(buckets + 1), row_at(buckets + 1);
    const auto visit = [&](std::size_t b, const auto& new_row, const auto& new_cell) {
        std::uint64_t row_before = ~std::uint64_t(0);
        std::uint32_t z_before = 0;
        for (std::size_t k = bucket_[b]; k < bucket_[b + 1]; ++k) {
            const std::uint64_t here = row_of(place[k]);
            const auto height = std::uint32_t(along(2, place[k].z - low.z));
            if (here != row_before)
                new_row(here);
            if (here != row_before || height != z_before)
                new_cell(k, height);
            row_before = here;
            z_before = height;
        }
    };
#pragma omp parallel for schedule(dynamic, 64) if (order.size() >= worth_threads)
    for (std::size_t b = 0; b < buckets; ++b)
        visit(
            b, [&](std::uint64_t) { ++row_at[b + 1]; },
            [&](std::uint32_t, std::uint32_t) { ++cell_at[b + 1]; });
    for (std::size_t b = 0; b < buckets; ++b) {
        row_at[b + 1] += row_at[b];
        cell_at[b + 1] += cell_at[b];
    }
    row.resize(row_at[buckets]);
    row_cell.resize(row.size() + 1);
    z.resize(cell_at[buckets]);
    first.resize(z.size() + 1);
#pragma omp parallel for schedule(dynamic, 64) if (order.size() >= worth_threads)
    for (std::size_t b = 0; b < buckets; ++b) {
        std::uint32_t r = row_at[b], c = cell_at[b];
        visit(
            b,
            [&](std::uint64_t here) {
                row[r] = here;
                row_cell[r++] = c;
            },
            [&](std::uint32_t k, std::uint32_t height) {
                z[c] = height;
                first[c++] = k;
            });
    }
    row_cell.back() = std::uint32_t(z.size());
    first.back() = std::uint32_t(order.size());
    bucket_ = {};
}

} // namespace chamomile
