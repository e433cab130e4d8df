#include "chamomile/integrate/ranks/home_rows.hpp"

#include <algorithm>
#include <cstring>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr std::int32_t none = -1; ///< the type of no request

} // namespace

HomeRows::HomeRows(const Particles& home, double velocity_factor, Communicator& ranks)
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

std::span<const std::byte> HomeRows::read_bytes_of(const RowRange& rows)
{
    exchange(rows);
    return arriving_.all<std::byte>();
}

void HomeRows::finish()
{
    while (exchange({.type = none})) {
    }
}

/// Sends each rank the rows for which it asks. Returns false if no rank asks.
bool HomeRows::exchange(const RowRange& mine)
{
    const std::vector<RowRange> asked = ranks_.all_gather(mine);
    std::vector<std::size_t> sizes;
    for (const RowRange& rows : asked)
        visit(rows, [&](const auto& values, std::span<const Index> places) {
            sizes.push_back(places.size() * sizeof values[0]);
        });
    std::byte* const leaving = leaving_.make_room(sizes);
    std::vector<std::span<const std::byte>> to;
    for (std::size_t r = 0; r < asked.size(); ++r) {
        std::byte* const begin = leaving + leaving_.begin(int(r));
        visit(asked[r], [&](const auto& values, std::span<const Index> places) {
            copy(values, places, asked[r].column == Column::velocity ? velocity_factor_ : 1, begin);
        });
        to.emplace_back(begin, sizes[r]);
    }
    ranks_.all_to_all<std::byte>(to, arriving_);
    return std::ranges::any_of(asked, [](const RowRange& rows) { return rows.type != none; });
}

/// Calls visit(values, places) with a column and the places of the home rows among these.
template <class Visit>
void HomeRows::visit(const RowRange& rows, const Visit& visit) const
{
    std::span<const Index> places;
    if (rows.type != none) {
        const std::uint64_t first = first_[std::size_t(rows.type)],
                            end = first + types_.count(rows.type),
                            from = std::clamp(rows.begin, first, end);
        places = std::span(types_.order)
                     .subspan(types_.begin[std::size_t(rows.type)] + (from - first),
                              std::size_t(std::clamp(rows.end, first, end) - from));
    }
    for_each_column(
        [&](Column column, const std::string&, const auto& values) {
            if (column == rows.column)
                visit(values, places);
        },
        home_);
}

template <class T>
void HomeRows::copy(const std::vector<T>& values, std::span<const Index> places, double factor,
                    std::byte* to)
{
#pragma omp parallel for if (places.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < places.size(); ++k) {
        T value = values[places[k]];
        if constexpr (std::is_same_v<T, Vec3<double>>)
            value = factor * value;
        std::memcpy(to + k * sizeof(T), &value, sizeof(T));
    }
}

} // namespace chamomile
