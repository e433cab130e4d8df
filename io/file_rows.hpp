/// \file  Particles of a snapshot whose motion stays in its file until it is asked for.
#pragma once

#include <array>
#include <vector>

#include "chamomile/core/particle_rows.hpp"

namespace chamomile {

/// FileRows read positions and velocities, and accelerations and potentials where the file has
/// them, from an open file. Ranges alone are asked for. Throws Error(input) for what cannot be read
/// and for a file that has changed.
class FileRows : public ParticleRows {
public:
    bool are_here() const override { return false; }
    std::size_t most() const override { return rows_of_block; }
    std::span<const Vec3<double>> vectors(Column value, const RowsAsked& rows) override;
    std::span<const double> reals(Column value, const RowsAsked& rows) override;

    /// Reads rows from `begin` on, as many as there is room for.
    void read(Column value, std::size_t begin, std::span<Vec3<double>> into);
    void read(Column value, std::size_t begin, std::span<double> into);

    /// Multiplies what is read from now on.
    void multiply(Column value, double factor);

protected:
    /// Reads rows of one number or three.
    virtual void read_numbers(Column value, std::size_t begin, std::span<double> numbers) = 0;

private:
    void read_scaled(Column value, std::size_t begin, std::span<double> numbers);

    std::array<std::vector<double>, 4> factors_; ///< one after the other
    std::array<std::vector<Vec3<double>>, vector_columns> vectors_;
    std::vector<double> potentials_;
};

} // namespace chamomile
