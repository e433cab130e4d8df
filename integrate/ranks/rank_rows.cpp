#include "chamomile/integrate/ranks/rank_rows.hpp"

#include <algorithm>
#include <cstring>

#include "chamomile/core/ranks/column_exchange.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr std::int32_t none = -1; ///< the type of no request

} // namespace

RankRows::RankRows(const Particles& home, double velocity_factor, Communicator& ranks)
    : home_(home), velocity_factor_(velocity_factor), ranks_(ranks), types_(home), first_{}
{
    std::array<std::uint64_t, 6> counts;
    for (int type = 0; type < 6; ++type)
        counts[type] = types_.count(type);
    const auto all = ranks_.all_gather(counts);
    for (int r = 0; r < ranks_.rank(); ++r)
        for (int type = 0; type < 6; ++type)
            first_[type] += all[std::size_t(r)][type];
}

std::span<const std::byte> RankRows::read_bytes_of(const RowRange& rows)
{
    exchange(rows);
    return arriving_.all<std::byte>();
}

void RankRows::finish()
{
    while (exchange({.type = none})) {
    }
}

/// Sends each rank the rows for which it asks. Returns false if no rank asks.
bool RankRows::exchange(const RowRange& mine)
{
    const std::vector<RowRange> asked = ranks_.all_gather(mine);
    leaving_.clear();
    std::vector<std::size_t> begins;
    for (const RowRange& rows : asked) {
        begins.push_back(leaving_.size());
        if (rows.type != none)
            append(rows);
    }
    begins.push_back(leaving_.size());
    ranks_.all_to_all<std::byte>(runs_of(std::span<const std::byte>(leaving_), begins), arriving_);
    return std::ranges::any_of(asked, [](const RowRange& rows) { return rows.type != none; });
}

/// Appends the home rows among these.
void RankRows::append(const RowRange& rows)
{
    const auto type = std::size_t(rows.type);
    const std::uint64_t first = first_[type], end = first + types_.count(rows.type),
                        from = std::clamp(rows.begin, first, end);
    const std::span<const Index> places{types_.order.data() + types_.begin[type] + (from - first),
                                        std::size_t(std::clamp(rows.end, first, end) - from)};
    for_each_column(
        [&](Column column, const std::string&, const auto& values) {
            if (column == rows.column)
                append(values, places, column == Column::velocity ? velocity_factor_ : 1);
        },
        home_);
}

template <class T>
void RankRows::append(const std::vector<T>& values, std::span<const Index> places, double factor)
{
    const std::size_t before = leaving_.size();
    leaving_.resize(before + places.size() * sizeof(T));
    std::byte* const to = leaving_.data() + before;
#pragma omp parallel for if (places.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < places.size(); ++k) {
        T value = values[places[k]];
        if constexpr (std::is_same_v<T, Vec3<double>>)
            value = factor * value;
        std::memcpy(to + k * sizeof(T), &value, sizeof(T));
    }
}

} // namespace chamomile
