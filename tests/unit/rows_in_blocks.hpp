/// \file  Particles available to a caller only in blocks.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "chamomile/core/particle_reader.hpp"

namespace chamomile::tests {

/// RowsInBlocks returns copies, each valid until its value is requested again, and counts the
/// largest block.
class RowsInBlocks final : public ParticleReader {
public:
    RowsInBlocks(const Particles& all, std::size_t max) : all_(all), rows_(all_), max_(max) {}

    bool is_on_host() const override { return false; }
    std::size_t max() const override { return max_; }
    std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) override
    {
        return copied(rows_.read_vectors(value, rows), vectors_[std::size_t(value)]);
    }
    std::span<const double> read_scalars(Column value, const RowSelection& rows) override
    {
        return copied(rows_.read_scalars(value, rows), reals_);
    }
    std::span<const std::uint64_t> read_ids(const RowSelection& rows) override
    {
        return copied(rows_.read_ids(rows), ids_);
    }

    std::size_t largest() const { return largest_; } ///< largest requested block

private:
    template <class T>
    std::span<const T> copied(std::span<const T> rows, std::vector<T>& copy)
    {
        largest_ = std::max(largest_, rows.size());
        const std::vector<T> before = std::exchange(copy, {rows.begin(), rows.end()});
        return copy;
    }

    Particles all_;
    RowsInMemory rows_;
    std::size_t max_, largest_ = 0;
    std::array<std::vector<Vec3<double>>, vector_columns> vectors_;
    std::vector<double> reals_;
    std::vector<std::uint64_t> ids_;
};

/// Returns the particles without moving columns.
inline Particles without_motion(Particles particles)
{
    particles.position = particles.velocity = particles.acceleration = {};
    particles.potential = {};
    return particles;
}

} // namespace chamomile::tests
