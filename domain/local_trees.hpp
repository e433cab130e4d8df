/// \file  The trees of a rank: one below each leaf of the coarse tree that it has.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "chamomile/core/threads.hpp"
#include "chamomile/domain/domains.hpp"
#include "chamomile/domain/held_bytes.hpp"
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

/// Arrivals are the particles that a rank has got from all others, in the order of ranks. They keep
/// their memory.
class Arrivals {
public:
    /// Sends each row of all ranks to the rank that has its place.
    void receive(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                 const Domains& domains, Communicator& communicator);
    /// Sends where the same rows are now.
    void receive_moved(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                       const Domains& domains, Communicator& communicator);
    /// Sends which of the rows are targets now, where not all are.
    void receive_targets(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                         const Domains& domains, Communicator& communicator);

    std::size_t size() const { return mass().size(); }
    std::span<const Vec3<double>> position() const { return positions_.all<Vec3<double>>(); }
    std::span<const double> mass() const { return masses_.all<double>(); }
    std::span<const char> is_target() const { return is_target_.all<char>(); }
    /// Returns the arrivals that are targets, where not all are.
    std::span<const Index> targets() const
    {
        return has_targets_ ? targets_ : std::span<const Index>();
    }
    std::span<const double> softening() const { return softenings_.all<double>(); }
    bool has_softenings() const { return has_softenings_; }
    /// Returns Rows::number of the arrivals, where rows have numbers.
    std::span<const Index> number() const { return numbers_.all<Index>(); }

    /// Returns the bytes that it holds.
    std::size_t memory() const
    {
        return held_bytes(leaving_positions_, leaving_masses_, leaving_softenings_,
                          leaving_targets_, leaving_numbers_, positions_, masses_, softenings_,
                          is_target_, numbers_, home_, targets_, target_rows_);
    }

    /// Brings a value of each arrival of all ranks that is a target home: store(row, value) is
    /// called for each such row, by several threads.
    template <class T, class Store>
    void send_home(std::span<const T> arrivals, const KeyedRows& sorted, Communicator& communicator,
                   const Store& store)
    {
        std::vector<T> packed;
        if (has_targets_) {
            packed.reserve(targets_.size());
            for (const Index i : targets_)
                packed.push_back(arrivals[i]);
            arrivals = packed;
        }
        std::vector<std::span<const T>> to;
        std::size_t begin = 0, end = 0; // of a rank's arrivals
        for (int r = 0; r < communicator.size(); ++r) {
            end += masses_.from<double>(r).size();
            const std::size_t last =
                has_targets_
                    ? std::size_t(std::lower_bound(targets_.begin(), targets_.end(), Index(end)) -
                                  targets_.begin())
                    : end;
            to.push_back(arrivals.subspan(begin, last - begin));
            begin = last;
        }
        // Those of this rank stay where they are.
        const std::size_t self = std::size_t(communicator.rank());
        const std::span<const T> own = std::exchange(to[self], {});
        communicator.all_to_all<T>(to, home_);
        // What comes from all ranks is in the order of the tree.
        const Index* row = has_targets_ ? target_rows_.data() : sorted.order.data();
        for (int r = 0; r < communicator.size(); ++r) {
            const std::span<const T> values = r == communicator.rank() ? own : home_.from<T>(r);
#pragma omp parallel for if (values.size() > worth_threads) schedule(static)
            for (std::size_t k = 0; k < values.size(); ++k)
                store(row[k], values[k]);
            row += values.size();
        }
    }

private:
    template <class T>
    void send(std::span<const T> values, const KeyedRows& sorted,
              std::span<const std::size_t> begins, std::pmr::vector<T>& leaving, Inbox& to,
              Communicator& communicator);

    std::pmr::vector<Vec3<double>> leaving_positions_{large_memory()};
    std::pmr::vector<double> leaving_masses_{large_memory()}, leaving_softenings_{large_memory()};
    std::pmr::vector<char> leaving_targets_{large_memory()};
    std::pmr::vector<Index> leaving_numbers_{large_memory()};
    Inbox positions_, masses_, softenings_, is_target_, numbers_, home_;
    bool has_softenings_ = false;
    bool has_targets_ = false;       // else all are targets
    std::vector<Index> targets_;     // of the arrivals
    std::vector<Index> target_rows_; // of the rows, in the order of the tree
};

/// Makes the trees of this rank: the same cells and order of particles as in the tree of one rank
/// alone.
void make_local_trees(LocalTrees& trees, const Arrivals& arrivals, const RootCube& cube,
                      const TreePlan& plan, std::span<const Cell> leaves);

/// Takes the particles where they are now, with softening lengths where rows have them.
void gather_particles(LocalTrees& trees, const Arrivals& arrivals, const Rows& rows);

/// Sums the moments of their cells, which are those of one rank alone too.
void sum_moments(LocalTrees& trees, int order);

/// Finds the reach of each of their cells.
void find_reaches(LocalTrees& trees, const TreeReach& reach);

/// Completes the coarse tree's moments from those of all ranks' trees; `varied` says that particles
/// have softening lengths of their own.
void share_moments(CoarseTree& coarse, const LocalTrees& trees, int order, bool varied,
                   Communicator& communicator);

} // namespace chamomile
