/// \file  Fourier transforms of a grid, shared among the ranks.
#pragma once

#include <optional>
#include <vector>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/mesh/fourier.hpp"

namespace chamomile {

/// Each rank transforms a slab of planes (first index) and a slab of rows (second index), with a
/// transposition between them. Planes and columns are transformed as by Fourier, so that results
/// have the same bits for any number of ranks. A grid is whole on each rank, or in slabs: each rank
/// holds its planes of a field and its rows of a spectrum. Functions are collective.
template <class T>
class SlabFourier {
public:
    /// `ranks`: null for one rank. Throws like Fourier.
    SlabFourier(int n, Communicator* ranks);

    /// Returns this rank's slab, of planes and of rows.
    MeshRange own() const { return slab(ranks_ ? ranks_->rank() : 0); }
    Communicator* ranks() const { return ranks_; } ///< null: one rank
    /// Returns a spectrum in slabs, filled with 0.
    Grid<T> spectrum() const { return Grid<T>(n_, all(), own()); }

    /// Adds the 64-bit integers in the bits of all ranks' values, at the planes of each rank.
    void sum_integers(Grid<double>& grid);

    /// Transforms a field at this rank's planes to the spectrum at its rows.
    void forward(Grid<T>& grid);
    /// Transforms the spectrum at this rank's rows to the whole field on every rank, or to the
    /// field at this rank's planes for a grid in slabs.
    void backward(Grid<T>& grid);
    /// Returns planes of a field in slabs, filled into `into` from their ranks; `field` itself on
    /// one rank. At most n planes, of 0 ... 2 n - 1: plane n + i is plane i.
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
    MeshRange slab(int rank) const;
    template <class Sent, class Received>
    void transpose(Grid<T>& grid, const Sent& sent, const Received& received, const Block& after);
    void gather(Grid<T>& grid);

    int n_;
    Communicator* ranks_; ///< null: one rank
    Fourier<T> fourier_;
    std::vector<T> leaving_;
    Inbox arriving_;
};

extern template class SlabFourier<float>;
extern template class SlabFourier<double>;

} // namespace chamomile
