/// \file  The top of the tree that all ranks share: its cells are alike on all ranks.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/parallel/communicator.hpp"
#include "chamomile/tree/large_memory.hpp"
#include "chamomile/tree/moments.hpp"
#include "chamomile/tree/radix_sort.hpp"

namespace chamomile {

/// Rows are the particles that a rank brings, in its own order.
struct Rows {
    std::span<const Vec3<double>> position;
    std::span<const double> mass;
    /// This is the work that each took in the last evaluation; empty: all the same.
    std::span<const float> work = {};
    bool has_targets = false;             ///< Else all rows of all ranks are targets.
    std::span<const char> is_target = {}; ///< of each row, with has_targets
    /// The positions from which kept cells were made.
    std::span<const Vec3<double>> built = {};
    /// In the tree rows of equal keys follow each other by these numbers, which all ranks have
    /// then; else by rank and row.
    bool has_numbers = false;
    std::span<const Index> number = {};
    /// Per-particle softening lengths are cut to this; empty: one length for all.
    std::optional<double> longest_softening = {};
    std::span<const double> softening = {}; ///< of each row, with longest_softening

    std::size_t size() const { return position.size(); }
};

/// A KeyRange is a cube: the keys that agree with `first` in so many digits of base 8.
struct KeyRange {
    Key first = 0;
    int level = 0;

    Key width() const { return Key(1) << 3 * (key_levels - level); }
    friend auto operator<=>(const KeyRange&, const KeyRange&) = default;
};

/// OctantCounts are numbers of particles in the octants of a cell.
using OctantCounts = std::array<std::uint64_t, 8>;
/// Counts a rank's rows in the octants of each cell.
using CountOctants = std::function<void(std::span<const KeyRange>, std::span<OctantCounts>)>;

/// KeyedRows tells a rank's rows by rising key, and those of equal keys by row. It keeps its
/// memory.
struct KeyedRows {
    /// Counts the rows in the octants of each cell.
    void count(std::span<const KeyRange> cells, std::span<OctantCounts> counts) const;

    std::pmr::vector<Key> keys{large_memory()};
    std::pmr::vector<Index> order{large_memory()}; ///< the k-th in sorted order is row order[k]
    RadixScratch scratch{large_memory()};

    void sort(const Rows& rows, const RootCube& cube);
};

/// RowsSeen is what a rank finds in its rows.
struct RowsSeen {
    Box box;
    std::uint64_t rows = 0;
    std::uint64_t bad_position = 0, bad_mass = 0; ///< the first rows that are wrong; `rows`: none
    double mass = 0;                              ///< that is wrong

    /// Looks through rows with all threads.
    static RowsSeen of(const Rows& rows);
};

/// A CommonCube is the smallest cube around the rows of all ranks.
struct CommonCube {
    RootCube cube;
    std::uint64_t rows = 0;   ///< of all ranks
    std::uint64_t before = 0; ///< of the ranks before this one
};

/// Finds it. Throws the same Error(input) on all ranks if a position or mass is not finite or a
/// mass is negative, or if there are too many rows.
CommonCube common_cube(const RowsSeen& rows, Communicator& communicator);

/// LeafSums are those of a rank's rows in each leaf of a coarse tree.
struct LeafSums {
    std::vector<Box> box;
    std::vector<std::uint64_t> work, targets; ///< of the rows that are targets
};

/// A CoarseTree holds the cells of the one tree of all ranks down to those with at most `most`
/// particles, its leaves. Its octree has no particles: ranges of cells count those of all ranks in
/// the order of the tree.
struct CoarseTree {
    Octree octree;
    Moments moments;                 ///< bounds at first; the rest when the ranks have their trees
    std::vector<Index> leaves;       ///< cells without daughters, in the order of the tree
    std::vector<Key> first;          ///< the least key of each leaf
    std::vector<std::uint64_t> work; ///< of the targets of each leaf
    /// Says how many targets lie before each leaf, and after these the number of all.
    std::vector<Index> targets_before;

    const Cell& leaf(std::size_t k) const { return octree.cells[leaves[k]]; }
    /// Returns where the rows of each leaf begin, and after them the number of rows.
    std::vector<std::size_t> begins(const KeyedRows& sorted) const;
    /// Sums work, targets and boxes of a rank's rows by leaf.
    LeafSums measured(const Rows& rows, const KeyedRows& sorted) const;
    /// Takes work and targets of the leaves, and the bounds of all cells, from the sums of each
    /// rank. `has_targets`: not all rows are targets.
    void measure(LeafSums sums, bool has_targets, Communicator& communicator);
    /// Completes the moments from those of the leaves of each rank; `varied` says that particles
    /// have softening lengths of their own.
    void take_moments(const Moments& own, int order, bool varied, Communicator& communicator);
};

/// A CoarseTreeMaker makes coarse trees of rows that change little from one to the next: cells that
/// it divided last time are counted in one reduction, others in one for each level.
class CoarseTreeMaker {
public:
    /// Makes the tree of `all` rows of all ranks, whose cells are those of one rank alone, without
    /// measures.
    CoarseTree make(const CountOctants& count, std::uint64_t all, std::uint64_t most,
                    Communicator& communicator);

private:
    std::vector<KeyRange> divided_; ///< cells of the last tree with daughters
};

} // namespace chamomile
