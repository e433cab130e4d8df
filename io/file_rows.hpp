/// \file  Particles of a snapshot whose moving columns are read from the file on demand.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/io/unchanged_file.hpp"

namespace chamomile {

/// FileRows reads the moving columns of particles from an open file: positions, velocities and, if
/// stored, accelerations and potentials. Only ranges can be read, no lists. Throws Error(input) if
/// reading fails or the file has changed.
class FileRows : public ParticleReader {
public:
    bool is_on_host() const override { return false; }
    /// Eight chunks of our files: threads share the chunks of a block.
    std::size_t max() const override { return rows_of_file_block; }
    std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) override;
    std::span<const double> read_scalars(Column value, const RowSelection& rows) override;

    /// Reads into.size() rows, starting at row `begin`.
    void read(Column value, std::size_t begin, std::span<Vec3<double>> into);
    void read(Column value, std::size_t begin, std::span<double> into);

    /// Returns the `count` rows of `first`, then the rows of `second`.
    static std::shared_ptr<FileRows> joined(std::shared_ptr<FileRows> first, std::size_t count,
                                            std::shared_ptr<FileRows> second);

    /// Packs path, file stamps, factors and box for another rank. Empty for joined rows.
    std::vector<std::byte> packed() const;
    /// Opens packed rows. Throws Error(input) if this rank does not see the same file.
    static std::shared_ptr<FileRows> unpacked(std::span<const std::byte>& bytes);

    /// Scales this column by `factor` in all later reads.
    void multiply(Column value, double factor);
    /// Wraps positions, after scaling, into the box in all later reads. Known bounds stay if all
    /// positions are inside, so that nobody reads them again.
    void wrap(const Periodicity& box)
    {
        box_ = box;
        if (bounds_ && !(box.wrapped(bounds_->low) == bounds_->low &&
                         box.wrapped(bounds_->high) == bounds_->high))
            bounds_.reset();
    }

    std::optional<Box> bounds() const override { return bounds_; }
    void set_bounds(const Box& bounds) { bounds_ = bounds; }

protected:
    /// Returns the files; empty for joined rows.
    virtual std::vector<const UnchangedFile*> files() const { return {}; }
    /// Reads rows of one or three numbers, as the column requires.
    virtual void read_numbers(Column value, std::size_t begin, std::span<double> numbers) = 0;

private:
    class Joined;
    void read_scaled(Column value, std::size_t begin, std::span<double> numbers);

    std::array<std::vector<double>, 4> factors_; ///< per column, applied in order
    Periodicity box_;                            ///< of wrapped positions
    std::optional<Box> bounds_;
    std::array<std::vector<Vec3<double>>, vector_columns> vectors_;
    std::vector<double> potentials_;
};

} // namespace chamomile
