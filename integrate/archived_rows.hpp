/// \file  Reads moving columns of particles from an archive on demand.
#pragma once

#include <array>
#include <cassert>
#include <string>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/particle_reader.hpp"

namespace chamomile {

/// Writes `count` rows of a column to the archive, block by block.
inline void keep_rows(Archive& archive, Column value, std::size_t count, ParticleReader& rows)
{
    const std::string name = name_in_archives(value);
    if (is_vector(value))
        archive.keep<Vec3<double>>(name, count, rows.max(), [&](auto begin, auto end) {
            return rows.read_vectors(value, {begin, end});
        });
    else if (value == Column::id)
        archive.keep<std::uint64_t>(name, count, rows.max(), [&](auto begin, auto end) {
            return rows.read_ids({begin, end});
        });
    else
        archive.keep<double>(name, count, rows.max(), [&](auto begin, auto end) {
            return rows.read_scalars(value, {begin, end});
        });
}

/// Returns the number of rows of a column in the archive. Throws Error(restart) if it has none.
inline std::uint64_t count_rows(Archive& archive, Column value)
{
    const std::string name = name_in_archives(value);
    return is_vector(value) ? archive.count_of<Vec3<double>>(name) : archive.count_of<double>(name);
}

/// Returns the error for columns of different lengths.
inline Error unequal_lengths()
{
    return Error(Fault::restart, "particles: arrays of different lengths");
}

/// Reads rows from an archive. Requests must be ranges, not lists.
class ArchivedRows final : public ParticleReader {
public:
    /// Keeps a reference.
    explicit ArchivedRows(Archive& archive) : archive_(archive) {}

    bool is_on_host() const override { return false; }
    std::size_t max() const override { return rows_of_block; }
    std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) override
    {
        return taken(value, rows, vectors_[std::size_t(value)]);
    }
    std::span<const double> read_scalars(Column value, const RowSelection& rows) override
    {
        return taken(value, rows, reals_[std::size_t(value)]);
    }

private:
    template <class T>
    std::span<const T> taken(Column value, const RowSelection& rows, std::vector<T>& into)
    {
        assert(rows.list.empty());
        into.resize(rows.size());
        archive_.part(name_in_archives(value), rows.begin, std::span(into));
        return into;
    }

    Archive& archive_;
    std::array<std::vector<Vec3<double>>, moving_columns> vectors_;
    std::array<std::vector<double>, moving_columns> reals_;
};

} // namespace chamomile
