/// \file  The trees of a rank: one below each leaf of the coarse tree that it has.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "chamomile/core/threads.hpp"
#include "chamomile/domain/domains.hpp"
#include "chamomile/domain/held_bytes.hpp"
#include "chamomile/parallel/column_exchange.hpp"
#include "chamomile/tree/key_sorter.hpp"
#include "chamomile/tree/own_softenings.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// LocalTrees hold the particles of a rank's leaves, sorted, and the cells below these leaves. They
/// keep their memory.
struct LocalTrees {
    Octree octree{large_memory()}; ///< cells of one leaf after the other
    Moments moments{large_memory()};
    std::pmr::vector<CellReach> reach{large_memory()}; ///< of each cell, by find_reaches()
    std::vector<Index> roots; ///< the first cell of each leaf, and after them the number of cells
    KeySorter sorter;
    std::vector<std::vector<Cell>> scratch;

    /// Returns the bytes that it holds.
    std::size_t memory() const;
};

/// Return the bytes that these hold.
std::size_t memory_of(const Octree& octree);
std::size_t memory_of(const Moments& moments);

/// Returns where the rows of each rank's domain begin in sorted order, and after them all.
std::vector<std::size_t> begins_of_ranks(const KeyedRows& sorted, const CoarseTree& coarse,
                                         const Domains& domains);

/// A HomeColumn has a value of each arrival, which store(particle, value) takes on the rank that
/// has the particle.
template <class T, class Store>
struct HomeColumn {
    std::span<const T> arrivals;
    Store store;
    bool is_used = true;
};

/// Arrivals are the particles that a rank has got from all others, in the order of ranks. They keep
/// their memory.
class Arrivals {
public:
    /// Sends each row of all ranks to the rank that has its place, and whether it is a target.
    void receive(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                 const Domains& domains, Communicator& communicator);
    /// Sends where the same rows are now, and whether they are targets.
    void receive_moved(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                       const Domains& domains, Communicator& communicator);

    std::size_t size() const { return mass_.size(); }
    std::span<const Vec3<double>> position() const { return position_; }
    std::span<const double> mass() const { return mass_; }
    std::span<const char> is_target() const { return is_target_; }
    /// Returns the arrivals that are targets, where not all are.
    std::span<const Index> targets() const
    {
        return has_targets_ ? targets_ : std::span<const Index>();
    }
    std::span<const double> softening() const { return softening_; }
    bool has_softenings() const { return has_softenings_; }
    /// Returns Rows::number of the arrivals, where rows have numbers.
    std::span<const Index> number() const { return number_; }

    /// Returns the first arrival from a rank.
    std::size_t first_from(int rank) const { return first_[std::size_t(rank)]; }

    /// Returns the bytes that it holds.
    std::size_t memory() const
    {
        return held_bytes(position_, mass_, softening_, number_, is_target_, targets_,
                          target_rows_) +
               memory_.held();
    }

    /// Brings values of all arrivals that are targets home, in one exchange. Several threads call
    /// the stores.
    template <class... T, class... Store>
    void send_home(const KeyedRows& sorted, Communicator& communicator,
                   const HomeColumn<T, Store>&... columns)
    {
        std::vector<std::size_t> begins = first_;
        if (has_targets_)
            for (std::size_t& begin : begins)
                begin = std::size_t(std::ranges::lower_bound(targets_, begin) - targets_.begin());
        // What comes from all ranks is in the order of the tree.
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
    std::pmr::vector<Index> number_{large_memory()};
    std::pmr::vector<char> is_target_{large_memory()};
    std::vector<std::size_t> first_{0}; // arrival of each rank, and after them all
    bool has_softenings_ = false;
    bool has_targets_ = false;       // else all are targets
    std::vector<Index> targets_;     // of the arrivals
    std::vector<Index> target_rows_; // of the rows, in the order of the tree
    ExchangeMemory memory_;
};

/// Makes the trees of this rank, of arrivals of which a run is sorted: the same cells and order of
/// particles as in the tree of one rank alone.
void make_local_trees(LocalTrees& trees, const Arrivals& arrivals,
                      const KeySorter::SortedRun& sorted, const RootCube& cube, int leaf_size,
                      std::span<const Cell> leaves);

/// Takes the particles where they are now, with softening lengths where rows have them.
void gather_particles(LocalTrees& trees, const Arrivals& arrivals, const Rows& rows);

/// Sums the moments of their cells, which are those of one rank alone too.
void sum_moments(LocalTrees& trees, int order);

/// Finds the reach of each of their cells.
void find_reaches(LocalTrees& trees, const TreeReach& reach);

/// Returns the moments of the roots.
Moments moments_of_roots(const LocalTrees& trees);

} // namespace chamomile
