/// \file  The rows of a snapshot in the order of its HDF5 files: type by type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chamomile/core/columns.hpp"

namespace chamomile {

/// A RowRange names rows [begin, end) of a column, counted among the particles of a type.
struct RowRange {
    Column column = Column::position;
    std::int32_t type = 0;
    std::uint32_t extra = 0; ///< for Column::extra: the number of the column
    std::uint64_t begin = 0, end = 0;
};

/// RowsByType gives the rows of a snapshot to the writer of its files. On several ranks each
/// request is collective.
class RowsByType {
public:
    virtual ~RowsByType() = default;

    /// Returns the max number of rows per request.
    virtual std::size_t max() const = 0;

    /// Returns the values of these rows, valid until the next request.
    template <class T>
    std::span<const T> read(const RowRange& rows)
    {
        const std::span<const std::byte> bytes = read_bytes_of(rows);
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

    /// Answers requests of other ranks until no rank has any. Call after the last request.
    virtual void finish() {}

private:
    virtual std::span<const std::byte> read_bytes_of(const RowRange& rows) = 0;
};

} // namespace chamomile
