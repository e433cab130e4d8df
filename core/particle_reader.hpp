/// \file  Access to particles in blocks, wherever they are stored.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/core/box.hpp"
#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/motion_sums.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/value_bins.hpp"

namespace chamomile {

/// Max rows per block: four chunks of our files; from or to files eight, read and filled by as many
/// threads.
inline constexpr std::size_t rows_of_block = std::size_t(1) << 18,
                             rows_of_file_block = 2 * rows_of_block;

/// Particles requested by a range begin .. end or a list of indices.
struct RowSelection {
    std::size_t begin = 0, end = 0;
    std::span<const Index> list = {}; ///< empty: a range

    RowSelection(std::size_t first, std::size_t behind) : begin(first), end(behind) {}
    /// Consecutive indices become a range.
    explicit RowSelection(std::span<const Index> places);

    std::size_t size() const { return list.empty() ? end - begin : list.size(); }
};

/// Gives values of particles that need not all be in memory. A returned span stays valid until the
/// same value is requested again.
class ParticleReader {
public:
    virtual ~ParticleReader() = default;

    /// Returns whether all particles are in the caller's memory.
    virtual bool is_on_host() const = 0;
    /// Returns the max number of particles per request.
    virtual std::size_t max() const = 0;

    /// Return one value per requested particle, in order. Throw the errors of the store.
    virtual std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) = 0;
    virtual std::span<const double> read_scalars(Column value, const RowSelection& rows) = 0;
    /// Returns the ids of the requested particles. A store without ids must not be asked.
    virtual std::span<const std::uint64_t> read_ids(const RowSelection&)
    {
        assert(!"the caller has the ids");
        return {};
    }

    /// Returns a box around all positions, if known.
    virtual std::optional<Box> bounds() const { return {}; }
    /// Adds the terms of all particles and returns true, if the store sums faster than values
    /// arrive. Else adds nothing and returns false.
    virtual bool add_motion(const Vec3<double>& /*typical*/, ExactSums<MotionSums>&)
    {
        return false;
    }
    /// Returns the bin of each particle's squared distance from the center, `none` for massless
    /// particles, if the store is faster. Empty: request the values instead.
    virtual std::span<const std::uint16_t> bins_of_distances(const Vec3<double>& /*center*/,
                                                             const ValueBins&)
    {
        return {};
    }

    /// Calls each(begin, end) for consecutive blocks of up to max() particles.
    template <class Each>
    void for_blocks(std::size_t count, const Each& each) const
    {
        for (std::size_t begin = 0; begin < count; begin += max())
            each(begin, std::min(begin + max(), count));
    }
};

/// Particles in the caller's memory.
class RowsInMemory final : public ParticleReader {
public:
    /// Keeps a reference.
    explicit RowsInMemory(const Particles& particles) : particles_(particles) {}

    bool is_on_host() const override { return true; }
    std::size_t max() const override;
    std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) override;
    std::span<const double> read_scalars(Column value, const RowSelection& rows) override;
    std::span<const std::uint64_t> read_ids(const RowSelection& rows) override;

private:
    const Particles& particles_;
    std::array<std::vector<Vec3<double>>, vector_columns> vectors_; ///< values gathered for lists
    std::vector<double> potentials_;
    std::vector<std::uint64_t> ids_;
};

} // namespace chamomile
