/// \file  Assignment of particles to a mesh, and interpolation of fields to particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/mesh/grid.hpp"
#include "chamomile/force/mesh/mesh_field.hpp"

namespace chamomile {

/// Returns the assignment window, which multiplies the spectrum: the product over the dimensions of
/// (sin(pi k / n) / (pi k / n))^points, with wave numbers k in units of 2 pi / side.
double assignment_window(Assignment kernel, int kx, int ky, int kz, int n);

/// Assigns masses to a mesh with `cells` per side of a periodic cube, with all threads. The sum at
/// a point has the same bits for any number of threads: mesh columns add their particles by rising
/// index, in four rounds in which no two columns touch.
class MassAssignment {
public:
    /// Points lie at ((i, j, k) - shift) side / cells. For interlacing, shift 1/2 puts them midway
    /// between the points of shift 0. Throws Error(usage) unless the box is periodic and has 4 to
    /// 32768 cells.
    MassAssignment(Assignment kernel, Periodicity box, int cells, double shift = 0);

    /// Fills `grid` with the mass at each point; the sum over the points is the total mass.
    /// Positions may lie in any image; an empty `mass` means 1 per particle. Throws Error(input)
    /// for non-finite numbers, and Error(usage) if the grid has a different side.
    template <class T>
    void assign(std::size_t n, const ArrayView& position, const ArrayView& mass, Grid<T>& grid);

    /// Like assign(), but fills `grid` with 64-bit integers, in the bits of its numbers: the mass
    /// at each point times `scale`, each particle's share rounded to the nearest integer. Sums of
    /// integers do not depend on their order. The grid needs only the rows near the particles.
    void assign_integers(std::size_t n, const ArrayView& position, const ArrayView& mass,
                         double scale, Grid<double>& grid, const MeshRows& rows);

    /// Sets value[i] to the field at position i, interpolated with the assignment kernel. `field`
    /// may hold only the planes of these positions' points.
    template <class T>
    void interpolate(const Grid<T>& field, std::size_t n, const ArrayView& position,
                     std::span<double> value) const;

    Assignment kernel() const { return kernel_; }
    const MeshFrame& frame() const { return frame_; }

    /// Returns the particles sorted by mesh columns, from the last assign(). Neighbors in this
    /// order share cache lines of a grid.
    std::span<const std::uint32_t> order() const { return order_; }

private:
    void sort(std::size_t n, const ArrayView& position, const ArrayView& mass);
    template <class T, class Add>
    void assign(std::size_t n, const ArrayView& position, const ArrayView& mass, double scale,
                Grid<T>& grid, const MeshRows& rows, const Add& add);

    Assignment kernel_;
    MeshFrame frame_;
    int columns_; ///< per side, an even number
    std::vector<std::uint32_t> order_, column_;
    std::vector<std::size_t> first_; ///< first entry of each column in order_; last entry: n
};

} // namespace chamomile
