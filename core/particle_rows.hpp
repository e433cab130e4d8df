/// \file  Particles that are looked at one block after another, wherever they live.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/core/motion_sums.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/value_bins.hpp"

namespace chamomile {

/// Rows that come from elsewhere come in blocks of this many, a multiple of the chunks of files.
inline constexpr std::size_t rows_of_block = std::size_t(1) << 18;

/// RowsAsked are the particles of a range, or those of a list, by their places among all.
struct RowsAsked {
    std::size_t begin = 0, end = 0;
    std::span<const Index> list = {}; ///< empty: a range

    RowsAsked(std::size_t first, std::size_t behind) : begin(first), end(behind) {}
    /// A list whose places follow each other is a range.
    explicit RowsAsked(std::span<const Index> places);

    std::size_t size() const { return list.empty() ? end - begin : list.size(); }
};

/// ParticleRows give values of particles, of which not all need be in memory. What is returned
/// stays until the same value is asked for again.
class ParticleRows {
public:
    virtual ~ParticleRows() = default;

    /// Returns whether all are in memory, where the caller has them.
    virtual bool are_here() const = 0;
    /// Returns how many are to be asked for at once, at most.
    virtual std::size_t most() const = 0;

    /// Entry k belongs to the k-th of those that are asked for. Throws what takes them from where
    /// they live.
    virtual std::span<const Vec3<double>> vectors(Column value, const RowsAsked& rows) = 0;
    virtual std::span<const double> reals(Column value, const RowsAsked& rows) = 0;

    /// Returns the sums over all particles if the store sums faster than values arrive.
    virtual std::optional<MotionSums> motion(const Vec3<double>& /*typical*/) { return {}; }
    /// Returns the bin of each particle's squared distance from the center, or `none` of one
    /// without mass, likewise; nothing where the values are to be asked for.
    virtual std::span<const std::uint16_t> bins_of_distances(const Vec3<double>& /*center*/,
                                                             const ValueBins&)
    {
        return {};
    }

    /// Calls each(begin, end) for the blocks of so many particles, in order.
    template <class Each>
    void for_blocks(std::size_t count, const Each& each) const
    {
        for (std::size_t begin = 0; begin < count; begin += most())
            each(begin, std::min(begin + most(), count));
    }
};

/// RowsInMemory are particles that the caller has.
class RowsInMemory final : public ParticleRows {
public:
    /// Keeps a reference.
    explicit RowsInMemory(const Particles& particles) : particles_(particles) {}

    bool are_here() const override { return true; }
    std::size_t most() const override;
    std::span<const Vec3<double>> vectors(Column value, const RowsAsked& rows) override;
    std::span<const double> reals(Column value, const RowsAsked& rows) override;

private:
    const Particles& particles_;
    std::array<std::vector<Vec3<double>>, vector_columns> vectors_; ///< of lists
    std::vector<double> potentials_;
};

} // namespace chamomile
