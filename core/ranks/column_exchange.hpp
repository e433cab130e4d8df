/// \file  Sends rows with several columns to other ranks, in one message per rank.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

/// Splits values by receiving rank.
template <class T>
std::vector<std::span<const T>> runs_of(std::span<const T> values,
                                        std::span<const std::size_t> begins)
{
    std::vector<std::span<const T>> runs;
    for (std::size_t r = 0; r + 1 < begins.size(); ++r)
        runs.push_back(values.subspan(begins[r], begins[r + 1] - begins[r]));
    return runs;
}

/// The order of a GatherColumn whose row k is value k.
struct InOrder {
    std::size_t operator[](std::size_t k) const { return k; }
};
inline constexpr InOrder in_order;

/// A GatherColumn sends values[order[k]] as row k and stores received rows in `into`. It sends
/// nothing if not in use.
template <class Values, class Order, class Into>
struct GatherColumn {
    using T = typename Into::value_type;
    Values values; ///< a view
    Order order;   ///< a view; in_order: row k is value k
    Into& into;    ///< a vector: rows from rank 0, then from rank 1 and so on
    bool is_used = true;

    std::size_t width() const { return is_used ? sizeof(T) : 0; }
    void make_room(std::size_t rows) const { resize_discarding(into, is_used ? rows : 0); }
    void pack(std::size_t begin, std::size_t end, std::byte* to) const { copy(begin, end, to); }
    void keep(std::size_t begin, std::size_t end, std::size_t at) const
    {
        copy(begin, end, reinterpret_cast<std::byte*>(into.data() + at));
    }
    void unpack(std::span<const std::byte> rows, std::size_t at) const
    {
        copy_bytes(rows, reinterpret_cast<std::byte*>(into.data() + at));
    }

private:
    void copy(std::size_t begin, std::size_t end, std::byte* to) const
    {
        const std::size_t n = is_used ? end - begin : 0;
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t k = 0; k < n; ++k) {
            const T value = values[order[begin + k]];
            std::memcpy(to + k * sizeof(T), &value, sizeof(T)); // not aligned in a message
        }
    }
};

/// A ScatterColumn sends values[order[k]], or values[k], as row k. For the k-th row received it
/// calls store(place[k], value), with several threads.
template <class T, class Store>
struct ScatterColumn {
    std::span<const T> values;
    const Index* order; ///< null: row k is value k
    const Index* place;
    const Store& store;
    bool is_used = true;

    std::size_t width() const { return is_used ? sizeof(T) : 0; }
    void make_room(std::size_t) const {}
    void pack(std::size_t begin, std::size_t end, std::byte* to) const
    {
        const std::size_t n = is_used ? end - begin : 0;
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t k = 0; k < n; ++k)
            std::memcpy(to + k * sizeof(T), &row(begin + k), sizeof(T));
    }
    void keep(std::size_t begin, std::size_t end, std::size_t at) const
    {
        const std::size_t n = is_used ? end - begin : 0;
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t k = 0; k < n; ++k)
            store(place[at + k], row(begin + k));
    }
    void unpack(std::span<const std::byte> rows, std::size_t at) const
    {
        const std::size_t n = rows.size() / sizeof(T);
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t k = 0; k < n; ++k) {
            T value; // not aligned in `rows`
            std::memcpy(&value, rows.data() + k * sizeof(T), sizeof(T));
            store(place[at + k], value);
        }
    }

private:
    const T& row(std::size_t k) const
    {
        return values[order ? order[k] : k];
    }
};

struct ExchangeMemory {
    Inbox leaving, arriving;

    std::size_t held() const { return leaving.capacity() + arriving.capacity(); }
};

/// Sends rows begins[r] .. begins[r + 1] of all columns to each rank r. Returns where each rank's
/// rows begin among the received rows; last entry: number of received rows.
template <class... Columns>
std::vector<std::size_t> exchange_columns(std::span<const std::size_t> begins, Communicator& ranks,
                                          ExchangeMemory& memory, const Columns&... columns)
{
    const std::size_t size = std::size_t(ranks.size()), self = std::size_t(ranks.rank()),
                      width = (std::size_t(0) + ... + columns.width());
    const std::size_t own = begins[self + 1] - begins[self];
    std::vector<std::size_t> bytes;
    for (std::size_t r = 0; r < size; ++r)
        bytes.push_back(r == self ? 0 : width * (begins[r + 1] - begins[r]));
    std::byte* next = memory.leaving.make_room(bytes);
    std::vector<std::span<const std::byte>> to;
    for (std::size_t r = 0; r < size; ++r) {
        to.push_back(memory.leaving.from<std::byte>(int(r)));
        if (r == self)
            continue;
        const std::size_t count = begins[r + 1] - begins[r];
        const auto pack = [&](const auto& column) {
            column.pack(begins[r], begins[r + 1], next);
            next += column.width() * count;
        };
        (pack(columns), ...);
    }
    std::vector<std::size_t> first{0};
    ranks.exchange(to, memory.arriving, [&](Communicator::Messages messages) {
        for (std::size_t r = 0; r < size; ++r)
            first.push_back(first.back() + (r == self   ? own
                                            : width > 0 ? messages[r].size() / width
                                                        : 0));
        (columns.make_room(first.back()), ...);
        for (std::size_t r = 0; r < size; ++r) {
            std::span<const std::byte> rows = messages[r];
            const std::size_t count = first[r + 1] - first[r];
            const auto unpack = [&](const auto& column) {
                if (r == self)
                    column.keep(begins[r], begins[r + 1], first[r]);
                else if (column.width() > 0) {
                    column.unpack(rows.first(column.width() * count), first[r]);
                    rows = rows.subspan(column.width() * count);
                }
            };
            (unpack(columns), ...);
        }
    });
    return first;
}

} // namespace chamomile
