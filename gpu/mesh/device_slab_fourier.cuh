/// \file  Fourier transforms of a grid on GPUs, shared among the ranks.
#pragma once

#include <vector>

#include "chamomile/force/mesh/covered_rows.hpp"
#include "chamomile/force/mesh/mesh_field.hpp"
#include "chamomile/gpu/device/cufft.cuh"
#include "chamomile/gpu/ranks/device_exchange.cuh"

namespace chamomile {

/// Rows of a mesh by their places in an array: a list on a device, or if `list` is null a block:
/// groups of `rows` adjacent rows, `pitch` rows apart, from row `first` on.
struct MeshRowSet {
    std::size_t count = 0;
    const Index* list = nullptr;
    std::size_t first = 0, rows = 0, pitch = 0; ///< of a block

    static MeshRowSet block(std::size_t first, std::size_t rows, std::size_t pitch,
                            std::size_t repeats)
    {
        return {rows * repeats, nullptr, first, rows, pitch};
    }
    /// Returns `count` adjacent rows from row 0 on.
    MeshRowSet packed() const { return {count, nullptr, 0, rows, rows}; }
};

/// The rows of a mesh that each rank is sent, or sends, in the same order on sender and receiver.
struct RowsOfRanks {
    std::vector<MeshRowSet> of; ///< of each rank
    DeviceBuffer<Index> row;    ///< all lists

    std::size_t count() const
    {
        std::size_t all = 0;
        for (const MeshRowSet& some : of)
            all += some.count;
        return all;
    }
};

/// A DeviceSlabFourier is the SlabFourier of meshes on GPUs. Each rank transforms a slab of planes
/// and a slab of rows. A grid has the rows of its planes, and after them the rows of other planes
/// where it has particles, and their neighbours (cover()), which are sent to their slab or from it.
/// A spectrum has the rows j of a slab for all i, i slowest. One rank transforms the whole grid.
/// Functions are collective. Other ranks may read the rows that a function sends until the next
/// call that sends rows, or settle(), in the order of the stream.
template <class T>
class DeviceSlabFourier {
public:
    /// `ranks`: null for one rank. Throws like DeviceFourier.
    DeviceSlabFourier(int n, Communicator* ranks);

    Communicator* ranks() const { return ranks_; } ///< null: one rank
    /// Returns this rank's slab, of planes and of rows.
    MeshRange own() const { return slab_of(n_, ranks_, ranks_ ? ranks_->rank() : 0); }

    /// Ensures that the covered rows include those where this rank has particles, from marks on the
    /// device.
    void cover(const RowMarks& rows, const std::uint8_t* marks, const Stream& stream);
    /// Returns the number of rows of this rank's planes.
    std::size_t own_rows() const { return std::size_t(own().count()) * std::size_t(n_); }
    /// Returns the number of rows of a grid.
    std::size_t grid_rows() const { return own_rows() + covered_.count(); }
    /// Returns the rows of a grid. On ranks only own and covered rows are there.
    MeshRows rows() { return {n_, row(), places_.data()}; }
    /// Adds the covered integers of all ranks, at the planes of each rank.
    void sum_integers(unsigned long long* grid, const Stream& stream);

    /// Transforms a field at this rank's planes to the spectrum at its rows, or in place on one
    /// rank.
    void forward(T* grid, T* spectrum, const Stream& stream);
    /// Transforms the spectrum at this rank's rows along the first index.
    void columns_backward(T* spectrum, const Stream& stream);
    /// Send the spectrum after columns_backward() to the planes of `grid`. Work that is queued in
    /// `stream` between the two calls runs while the data travel. Nothing on one rank.
    void start_to_planes(const T* spectrum, T* grid, const Stream& stream);
    void finish_to_planes(T* grid, const Stream& stream);
    /// Transforms the planes of this rank to the field.
    void planes_backward(T* grid, const Stream& stream);
    /// Fill the covered rows of a field from the ranks of their planes, in two halves as above.
    void start_share(T* grid, const Stream& stream);
    void finish_share(T* grid, const Stream& stream);
    /// Lets `stream` wait until other ranks have read what they were sent.
    void settle(const Stream& stream);

private:
    std::size_t row() const { return 2 * std::size_t(n_ / 2 + 1); } ///< numbers
    void list_rows(const std::vector<std::vector<Index>>& rows_of_ranks, RowsOfRanks& rows,
                   const Stream& stream) const;
    bool has_covered(std::size_t count, const std::uint8_t* marks, const Stream& stream);
    template <bool adds, class Number>
    void start(const Number* from, RowsOfRanks& leaving, Number* to, RowsOfRanks& arriving,
               const Stream& stream);
    template <bool adds, class Number>
    void finish(Number* to, RowsOfRanks& arriving, const Stream& stream);

    int n_;
    Communicator* ranks_;
    DeviceFourier<T> fourier_;
    RowsOfRanks planes_,
        columns_; ///< each rank's rows in own planes; own rows in each rank's planes
    RowsOfRanks covered_, shared_; ///< in each other slab; of each rank in the own slab
    DeviceBuffer<Index> places_;   ///< of all rows in a grid
    DeviceExchange exchange_;
    DeviceBuffer<std::byte> leaving_[2]; ///< packed; two: another rank may still copy from the last
    int turn_ = 0;
    DeviceBuffer<std::uint8_t> marks_;         ///< of the covered rows
    std::size_t marks_count_ = 0, listed_ = 0; ///< 0: none yet; set marks
    PinnedBuffer<std::uint8_t> host_marks_;
    DeviceBuffer<unsigned> counts_;
    PinnedBuffer<unsigned> host_counts_;
};

extern template class DeviceSlabFourier<float>;
extern template class DeviceSlabFourier<double>;

} // namespace chamomile
