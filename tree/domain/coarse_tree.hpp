/// \file  The top of the global tree, with identical cells on all ranks.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "chamomile/core/large_memory.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/tree/moments.hpp"
#include "chamomile/tree/pieces.hpp"
#include "chamomile/tree/radix_sort.hpp"

namespace chamomile {

/// A rank's particles before ranks exchange them, in the caller's order.
struct Rows {
    std::span<const Vec3<double>> position;
    std::span<const double> mass;
    /// Work of each row in the last evaluation, in units of row_work(); empty: equal for every row.
    std::span<const float> work = {};
    bool has_targets = false;             ///< false: every row on every rank is a target
    std::span<const char> is_target = {}; ///< per row, with has_targets
    /// Positions at the last build. They divide particles into cells until the next build.
    std::span<const Vec3<double>> built = {};
    /// Equal on all ranks. True: rows with equal keys are ordered by `number` in the tree; false:
    /// by rank, then by row.
    bool has_numbers = false;
    std::span<const GlobalIndex> number = {};
    /// Upper limit for per-particle softening lengths; empty: one length for all.
    std::optional<double> longest_softening = {};
    std::span<const double> softening = {}; ///< per row, with longest_softening

    std::size_t size() const { return position.size(); }
};

/// A KeyRange is a cube: the keys that share `level` leading octal digits with `first`.
struct KeyRange {
    Key first = 0;
    int level = 0;

    Key width() const { return Key(1) << 3 * (key_levels - level); }
    friend auto operator<=>(const KeyRange&, const KeyRange&) = default;
};

/// Particle counts in the octants of a cell.
using OctantCounts = std::array<std::uint64_t, 8>;
/// Counts a rank's rows in the octants of each cell.
using CountOctants = std::function<void(std::span<const KeyRange>, std::span<OctantCounts>)>;

/// A rank's rows by rising key; rows with equal keys by rising index. Memory is kept.
struct KeyedRows {
    /// Counts the rows in the octants of each cell.
    void count(std::span<const KeyRange> cells, std::span<OctantCounts> counts) const;

    std::pmr::vector<Key> keys{large_memory()};
    std::pmr::vector<Index> order{large_memory()}; ///< sorted row k is row order[k]
    RadixScratch scratch{large_memory()};

    void sort(const Rows& rows, const RootCube& cube);
};

/// Result of a scan of a rank's rows: bounding box and first bad values.
struct RowsSeen {
    Box box;
    std::uint64_t rows = 0;
    std::uint64_t bad_position = 0, bad_mass = 0; ///< first bad rows; equal to `rows` if none
    double mass = 0;                              ///< the first bad mass

    /// Scans the rows with host threads.
    static RowsSeen of(const Rows& rows);
};

/// The smallest cube around the rows of all ranks.
struct CommonCube {
    RootCube cube;
    std::uint64_t rows = 0;   ///< on all ranks
    std::uint64_t before = 0; ///< on ranks below this one
};

/// Finds the common cube. `word`: for a row in errors. Throws the same Error(input) on all ranks if
/// a position is not finite, a mass is negative or not finite, or a rank has too many rows.
CommonCube common_cube(const RowsSeen& rows, const char* word, Communicator& communicator);

/// Sums over a rank's rows in each leaf of a coarse tree.
struct LeafSums {
    std::vector<Box> box;
    std::vector<std::uint64_t> work, targets; ///< work of the targets, and their number
};

/// The cells of the global tree down to leaves with at most `max` particles each, or more if they
/// share a key (CoarseTreeMaker::make()). The octree stores no particles: Cell::begin is absent,
/// and Cell::count is cut to largest_number. The cells below a leaf are on the rank that owns the
/// leaf (make_local_trees()).
struct CoarseTree {
    Octree octree;
    Moments moments;                  ///< reduce() fills bounds, gather_moments() the rest
    std::vector<Index> leaves;        ///< cells without daughters, in tree order
    std::vector<Index> leaves_before; ///< leaves before each cell; last entry: number of leaves
    std::vector<Key> first;           ///< lowest key of each leaf
    std::vector<std::uint64_t> work;  ///< per leaf, over targets
    /// Numbers of particles and targets of all ranks before each leaf; last entry: all.
    std::vector<std::uint64_t> particles_before, targets_before;

    const Cell& leaf(std::size_t k) const { return octree.cells[leaves[k]]; }
    /// Returns the number of particles on all ranks together.
    std::uint64_t particles() const
    {
        return particles_before.empty() ? 0 : particles_before.back();
    }
    /// Returns the number of particles in a leaf.
    std::uint64_t particles_of(std::size_t leaf) const
    {
        return particles_before[leaf + 1] - particles_before[leaf];
    }
    /// Returns the targets of all ranks in a cell.
    GlobalRange targets_of(Index cell) const
    {
        return {targets_before[leaves_before[cell]],
                targets_before[leaves_before[octree.cells[cell].next]]};
    }
    /// Returns where each leaf's rows begin among a rank's sorted rows; last entry: number of rows.
    std::vector<std::size_t> begins(const KeyedRows& sorted) const;
    /// Sums work, target counts and boxes of a rank's rows in each leaf.
    LeafSums leaf_sums(const Rows& rows, const KeyedRows& sorted) const;
    /// Reduces the ranks' leaf_sums(): sets work and targets of the leaves, and the bounds of all
    /// cells. `has_targets`: some rows are no targets. Collective.
    void reduce(LeafSums sums, bool has_targets, Communicator& communicator);
    /// Gathers the moments of leaves from their ranks and sums the moments of the cells above.
    /// `own`: moments of this rank's leaves, in tree order, without bounds. `per_particle`:
    /// particles have per-particle softening. Collective.
    void gather_moments(const Moments& own, int order, bool per_particle,
                        Communicator& communicator);
};

/// Makes coarse trees of slowly changing rows. The octants of all cells that the last tree divided
/// are counted in one reduction, the octants of further cells in one reduction per level.
class CoarseTreeMaker {
public:
    /// Makes the same tree on every rank. `all`: total number of rows. Cells equal a single rank's
    /// cells. The caller must then call reduce() and gather_moments().
    CoarseTree make(const CountOctants& count, std::uint64_t all, std::uint64_t max,
                    Communicator& communicator);

private:
    std::vector<KeyRange> divided_; ///< cells with daughters in the last tree
};

} // namespace chamomile
