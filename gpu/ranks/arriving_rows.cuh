/// \file  Exchange of a rank's rows on its GPU: sends rows to the ranks of their domains, receives
/// particles of this rank's domain ("received rows") and returns their sums.
#pragma once

#include <vector>

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/ranks/device_exchange.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"
#include "chamomile/tree/domain/arrival_sums.hpp"
#include "chamomile/tree/domain/coarse_tree.hpp"

namespace chamomile {

/// Device columns of the rows, followed by received particles. Null columns are not used.
struct RowColumns {
    Vec3<double>* position;
    double* mass;
    double* softening;
    GlobalIndex* number;
    std::uint8_t* is_target;
};

/// Device columns of results for received particles: sums, and the work they took.
struct ResultColumns {
    Vec3<double>* acceleration;
    double* potential; ///< if has_potentials
    float* work;
    bool has_potentials;
};

/// An ArrivingRows sorts rows by key, exchanges rows between ranks and merges received particles
/// with the rows that stay. Rows have numbers 0 .. n - 1. Received particles follow from n, in the
/// order of ranks. Its many members are buffers, kept between exchanges.
class ArrivingRows {
public:
    ArrivingRows(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}

    /// Prepares for n rows. The caller fills keys() and order().
    void begin(std::size_t n);
    Key* keys() { return keys_.data(); }
    Index* order() { return order_.data(); }
    /// Returns the lower bound of each of these rising keys among the sorted keys; waits.
    std::vector<std::size_t> places(std::span<const Key> keys);
    /// Measures the rows of each run between these places. `is_target` and `work` may be null.
    LeafSums measure(std::span<const std::size_t> begins, const std::uint8_t* is_target,
                     const float* work);

    /// Sends sorted rows begins[r] .. begins[r + 1] to rank r and receives this domain's particles.
    /// `make_room` returns columns with room for the given number of rows.
    template <class MakeRoom>
    void exchange(std::vector<std::size_t> begins, const RowColumns& columns, Communicator& ranks,
                  const MakeRoom& make_room)
    {
        send(std::move(begins), columns, ranks);
        take(make_room(n_ + received()), ranks);
    }
    /// Merges received particles with the rows that stay, by key and for equal keys by number, into
    /// tree.keys and tree.order.
    void merge(const GlobalIndex* number);
    /// Repeats exchange() for the same rows, but sends only positions and target marks.
    void exchange_moved(const RowColumns& columns, Communicator& ranks);

    /// Returns the results of received particles to their ranks. Results of rows sent away go to
    /// `to` and `work`, device arrays of the rows.
    void return_results(const ResultColumns& received, const SumArrays& to, float* work,
                        Communicator& ranks);

    std::size_t rows() const { return n_; }
    std::size_t received() const { return first_received_.back(); }
    std::size_t staying() const { return begins_[rank_ + 1] - begins_[rank_]; }
    std::size_t arrivals() const { return staying() + received(); }
    /// Returns the sorted rows on the host.
    std::vector<Index> order_on_host();
    /// Returns the numbers of DomainPart::arriving() on the host.
    std::vector<Index> arriving_on_host();

private:
    std::byte* room_to_leave(std::size_t bytes) { return leaving_[turn_ ^= 1].reserve(bytes); }
    void send(std::vector<std::size_t> begins, const RowColumns& columns, Communicator& ranks);
    void take(const RowColumns& columns, Communicator& ranks);

    DeviceTree& tree_;
    CachingAllocator& scratch_;
    std::size_t n_ = 0, rank_ = 0;
    std::vector<std::size_t> begins_{0, 0};      // first sorted row of each rank, and the end
    std::vector<std::size_t> first_received_{0}; // first of each rank, and the end
    DeviceBuffer<Key> keys_, received_keys_, asked_;
    DeviceBuffer<Index> order_, received_order_, places_;
    PinnedBuffer<Index> host_places_;
    DeviceBuffer<std::byte> leaving_[2]; // two: another rank may still copy from the last
    int turn_ = 0;
    DeviceBuffer<std::byte> measures_;
    PinnedBuffer<std::byte> host_measures_;
    DeviceExchange exchange_;
};

} // namespace chamomile
