/// \file  Particles available to a caller only in blocks.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "chamomile/core/particle_rows.hpp"

namespace chamomile::tests {

/// RowsInBlocks returns copies, each valid until its value is requested again, and counts the
/// largest block.
class RowsInBlocks final : public ParticleRows {
public:
    RowsInBlocks(const Particles& all, std::size_t most) : all_(all), rows_(all_), most_(most) {}

    bool are_here() const override { return false; }
    std::size_t most() const override { return most_; }
    std::span<const Vec3<double>> vectors(Column value, const RowsAsked& rows) override
    {
        return copied(rows_.vectors(value, rows), vectors_[std::size_t(value)]);
    }
    std::span<const double> reals(Column value, const RowsAsked& rows) override
    {
        return copied(rows_.reals(value, rows), reals_);
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
    std::size_t most_, largest_ = 0;
    std::array<std::vector<Vec3<double>>, vector_columns> vectors_;
    std::vector<double> reals_;
};

/// Returns the particles without moving columns.
inline Particles without_motion(Particles particles)
{
    particles.position = particles.velocity = particles.acceleration = {};
    particles.potential = {};
    return particles;
}

} // namespace chamomile::tests
