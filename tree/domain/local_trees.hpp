/// \file  The exchange of particles by domain, and the local trees: one below each leaf of the
/// coarse tree that this rank owns.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "chamomile/core/ranks/column_exchange.hpp"
#include "chamomile/tree/domain/domains.hpp"
#include "chamomile/tree/domain/memory_use.hpp"
#include "chamomile/tree/domain/top_of_tree.hpp"
#include "chamomile/tree/key_sorter.hpp"

namespace chamomile {

/// Returns where the rows in each rank's domain begin among the sorted rows; last entry: number of
/// rows.
std::vector<std::size_t> begins_of_ranks(const KeyedRows& sorted, const CoarseTree& coarse,
                                         const Domains& domains);

/// One value per arrival, to return to the rank that sent the particle. There store(row, value)
/// stores it.
template <class T, class Store>
struct ResultColumn {
    std::span<const T> arrivals;
    Store store;
    bool is_used = true;
};

/// The particles in a rank's domain (arrivals), ordered by sending rank, then by key. Memory is
/// kept.
class ReceivedParticles {
public:
    /// Sends each row to the rank whose domain contains it, with Rows::built as position.
    void receive(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                 const Domains& domains, Communicator& communicator);
    /// Like receive() for the same rows, but sends only Rows::position and target marks.
    void receive_moved(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                       const Domains& domains, Communicator& communicator);

    std::size_t size() const { return mass_.size(); }
    std::span<const Vec3<double>> position() const { return position_; }
    std::span<const double> mass() const { return mass_; }
    std::span<const char> is_target() const { return is_target_; }
    /// Returns the arrivals that are targets; empty if every arrival is a target.
    std::span<const Index> targets() const
    {
        return has_targets_ ? targets_ : std::span<const Index>();
    }
    std::span<const double> softening() const { return softening_; }
    bool has_softenings() const { return has_softenings_; }
    /// Returns Rows::number for each arrival, if rows have numbers.
    std::span<const GlobalIndex> number() const { return number_; }

    /// Returns the first arrival from a rank.
    std::size_t first_from(int rank) const { return first_[std::size_t(rank)]; }

    /// Returns the bytes held.
    std::size_t memory() const
    {
        return held_bytes(position_, mass_, softening_, number_, is_target_, targets_,
                          target_rows_) +
               memory_.held();
    }

    /// Returns values of target arrivals to the ranks that sent the particles, in one exchange.
    /// Several threads call the stores.
    template <class... T, class... Store>
    void return_results(const KeyedRows& sorted, Communicator& communicator,
                        const ResultColumn<T, Store>&... columns)
    {
        std::vector<std::size_t> begins = first_;
        if (has_targets_)
            for (std::size_t& begin : begins)
                begin = std::size_t(std::ranges::lower_bound(targets_, begin) - targets_.begin());
        // Values from rank 0, 1, ... are in tree order, since ranks own consecutive ranges.
        const Index* const order = has_targets_ ? targets_.data() : nullptr;
        const Index* const place = has_targets_ ? target_rows_.data() : sorted.order.data();
        exchange_columns(begins, communicator, memory_,
                         ScatterColumn<T, Store>{columns.arrivals, order, place, columns.store,
                                                 columns.is_used}...);
    }

private:
    void find_targets(const Rows& rows, const KeyedRows& sorted);

    std::pmr::vector<Vec3<double>> position_{large_memory()};
    std::pmr::vector<double> mass_{large_memory()}, softening_{large_memory()};
    std::pmr::vector<GlobalIndex> number_{large_memory()};
    std::pmr::vector<char> is_target_{large_memory()};
    std::vector<std::size_t> first_{0}; // first arrival from each rank; last entry: size()
    bool has_softenings_ = false;
    bool has_targets_ = false;       // false: every arrival is a target
    std::vector<Index> targets_;     // among the arrivals
    std::vector<Index> target_rows_; // among the rows, in tree order
    ExchangeMemory memory_;
};

/// Sorts the arrivals, makes the cells below this rank's leaves, and numbers them together with the
/// coarse tree. Cells and particle order equal those of a single-rank tree. `sorted`: keys of the
/// arrivals from this rank, which are in key order.
OwnCells make_local_trees(Octree& octree, TopOfTree& top, KeySorter& sorter,
                          const ReceivedParticles& arrivals, const KeySorter::SortedRun& sorted,
                          const RootCube& cube, int leaf_size, const DistributedTree& distributed);

/// Fills sources with the arrivals' positions and masses, and eps^2 if rows have per-particle
/// softening. Makes room for the moments of all cells, and sums the moments of the local cells
/// below `roots`, equal to the moments on a single rank.
void sum_moments(Tree& tree, const ReceivedParticles& arrivals, const Rows& rows, int order,
                 std::span<const Index> roots);

/// Returns the moments of the cells `roots`, without bounds.
Moments moments_of_roots(const Moments& moments, std::span<const Index> roots);

} // namespace chamomile
