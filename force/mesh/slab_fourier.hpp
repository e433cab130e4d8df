/// \file  Fourier transforms of a grid, shared among the ranks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chamomile/force/mesh/covered_rows.hpp"
#include "chamomile/force/mesh/fourier.hpp"
#include "chamomile/force/mesh/mesh_field.hpp"

namespace chamomile {

/// Each rank transforms a slab of planes (first index) and a slab of rows (second index), with a
/// transposition between them. Planes and columns are transformed as by Fourier, so that results
/// have the same bits for any number of ranks. Each rank holds its planes of a field, or its rows
/// of a spectrum. A field may have more rows, near a rank's particles (cover()). Functions are
/// collective.
template <class T>
class SlabFourier {
public:
    /// `ranks`: null for one rank. Throws like Fourier.
    SlabFourier(int n, Communicator* ranks);

    /// Returns this rank's slab, of planes and of rows.
    MeshRange own() const { return slab_of(n_, ranks_, ranks_ ? ranks_->rank() : 0); }
    Communicator* ranks() const { return ranks_; } ///< null: one rank
    /// Return a field and a spectrum, filled with 0.
    Grid<T> field() const { return Grid<T>(n_, own(), all()); }
    Grid<T> spectrum() const { return Grid<T>(n_, all(), own()); }

    /// Sets the rows near this rank's particles. Nothing on one rank.
    void cover(const MarkedRows& marked);
    /// Returns how many such rows a field holds after its planes.
    std::size_t covered() const { return places_.empty() ? 0 : begin_.back(); }
    /// Returns the rows of a field. On ranks only own and covered rows are there.
    MeshRows rows() const
    {
        return {n_, Grid<T>::row(n_), places_.empty() ? nullptr : places_.data()};
    }
    /// Adds the 64-bit integers in the bits of all ranks' values, at the planes of each rank.
    void sum_integers(Grid<double>& grid);
    /// Fills the covered rows of a field from the ranks of their planes.
    void share(Grid<T>& grid);

    /// Transforms a field at this rank's planes to the spectrum at its rows.
    void forward(Grid<T>& grid);
    /// Transforms the spectrum at this rank's rows to the field at its planes.
    void backward(Grid<T>& grid)
    {
        columns_backward(grid);
        planes_backward(grid);
    }
    /// The two halves of backward(): along the first index, to this rank's planes, and along the
    /// two others.
    void columns_backward(Grid<T>& grid);
    void planes_backward(Grid<T>& grid) const { planes_backward(grid, grid.planes()); }
    void planes_backward(Grid<T>& grid, MeshRange planes) const
    {
        fourier_.planes_backward(grid, planes);
    }
    /// Returns planes of a field, filled into `into` from their ranks; `field` itself on
    /// one rank, or if each rank wants its own planes. At most n planes, of 0 ... 2 n - 1: plane
    /// n + i is plane i.
    const Grid<T>& window(const Grid<T>& field, MeshRange wanted, std::optional<Grid<T>>& into);

private:
    /// Planes and rows of a grid.
    struct Block {
        MeshRange planes, rows;

        std::size_t size(const Grid<T>& grid) const
        {
            return std::size_t(planes.count()) * std::size_t(rows.count()) * grid.row();
        }
    };

    MeshRange all() const { return {0, n_}; }
    MeshRange slab(int rank) const { return slab_of(n_, ranks_, rank); }
    template <class Number>
    std::span<Number> covered(Grid<Number>& grid, int rank) const;
    /// Fills a message of counts[r] values to each rank by fill(r, values), exchanges the messages,
    /// and calls use(r, values) with the message from each rank.
    template <class Fill, class Use>
    void exchange(std::vector<std::size_t> counts, const Fill& fill, const Use& use);
    template <class Sent, class Received>
    void transpose(Grid<T>& grid, const Sent& sent, const Received& received, const Block& after);

    int n_;
    Communicator* ranks_; ///< null: one rank
    Fourier<T> fourier_;
    CoveredRows rows_;
    std::vector<std::size_t> begin_; ///< first covered row of each rank, and the end
    std::vector<Index> places_;      ///< of all rows in a field, on ranks
    Inbox leaving_, arriving_;
};

extern template class SlabFourier<float>;
extern template class SlabFourier<double>;

} // namespace chamomile
