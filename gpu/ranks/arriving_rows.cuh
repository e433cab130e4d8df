/// \file  The rows of a rank on its GPU: those that leave for other ranks' domains, the guests that
/// come, and the way home of sums.
#pragma once

#include <vector>

#include "chamomile/domain/arrival_sums.hpp"
#include "chamomile/domain/coarse_tree.hpp"
#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/ranks/device_exchange.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// RowColumns are columns of rows, and of guests behind them. Null columns are not used.
struct RowColumns {
    Vec3<double>* position;
    double* mass;
    double* softening;
    Index* number;
    std::uint8_t* is_target;
};

/// HomeColumns are what guests have: sums and the work that they took.
struct HomeColumns {
    Vec3<double>* acceleration;
    double* potential; ///< with has_potentials
    float* work;
    bool has_potentials;
};

/// ArrivingRows sort rows by key, exchange them with other ranks and merge guests with those that
/// stay. Rows have numbers 0 .. n, guests those after n, in the order of ranks.
class ArrivingRows {
public:
    ArrivingRows(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}

    /// Says that n rows are there, whose keys and order will be in keys() and order().
    void begin(std::size_t n);
    Key* keys() { return keys_.data(); }
    Index* order() { return order_.data(); }
    /// Returns where these rising keys stand among those of the rows; waits.
    std::vector<std::size_t> places(std::span<const Key> keys);
    /// Measures the rows of each run between these places: `is_target` and `work` may be null.
    LeafSums measure(std::span<const std::size_t> begins, const std::uint8_t* is_target,
                     const float* work);

    /// Sends rows begins[r] .. begins[r + 1] of the sorted ones to rank r, and takes guests, for
    /// whom `make_room` makes room in the columns that it returns.
    template <class MakeRoom>
    void exchange(std::vector<std::size_t> begins, const RowColumns& columns, Communicator& ranks,
                  const MakeRoom& make_room)
    {
        send(std::move(begins), columns, ranks);
        take(make_room(n_ + guests()), ranks);
    }
    /// Merges guests with the rows that stay, by key and, where keys are equal, by number, to
    /// tree.keys and tree.order.
    void merge(const Index* number);
    /// Does as exchange() does, of the same rows and guests, with positions and targets alone.
    void exchange_moved(const RowColumns& columns, Communicator& ranks);

    /// Brings home what guests have; rows that are away get it, and their work, in arrays of the
    /// device.
    void send_home(const HomeColumns& guests, const SumArrays& to, float* work,
                   Communicator& ranks);

    std::size_t rows() const { return n_; }
    std::size_t guests() const { return first_guest_.back(); }
    std::size_t staying() const { return begins_[rank_ + 1] - begins_[rank_]; }
    std::size_t arrivals() const { return staying() + guests(); }
    /// Returns the sorted rows, and the numbers of DomainPart::arriving(), on the host.
    std::vector<Index> order_on_host();
    std::vector<Index> arriving_on_host();

private:
    std::byte* room_to_leave(std::size_t bytes) { return leaving_[turn_ ^= 1].reserve(bytes); }
    void send(std::vector<std::size_t> begins, const RowColumns& columns, Communicator& ranks);
    void take(const RowColumns& columns, Communicator& ranks);

    DeviceTree& tree_;
    CachingAllocator& scratch_;
    std::size_t n_ = 0, rank_ = 0;
    std::vector<std::size_t> begins_{0, 0};   // of the rows of each rank, in sorted order
    std::vector<std::size_t> first_guest_{0}; // of each rank, and after them all
    DeviceBuffer<Key> keys_, guest_keys_, asked_;
    DeviceBuffer<Index> order_, guest_order_, places_;
    PinnedBuffer<Index> host_places_;
    DeviceBuffer<std::byte> leaving_[2]; // others may still copy from the last one
    int turn_ = 0;
    DeviceBuffer<std::byte> measures_;
    PinnedBuffer<std::byte> host_measures_;
    DeviceExchange exchange_;
};

} // namespace chamomile
