/// \file  The octree: cells in depth-first order over key-sorted particles.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/tree/key_sorter.hpp"

namespace chamomile {

/// A Cell holds the sorted particles begin .. begin + count. Its first daughter, if any, follows
/// directly; the walk continues at `next` if it does not open the cell.
struct Cell {
    Index begin, count, next;
    Index octant; ///< octant in its mother, by bits x, y, z; 0 for the root
};

/// A particle in the form that force loops read.
struct alignas(16) Source { // a GPU reads it as two 16-byte loads
    Vec3<double> position;
    double mass;
};

/// Cells in depth-first order, each with its range of key-sorted particles. If a single octant
/// holds all particles of a cell, the octant replaces it.
struct Octree {
    explicit Octree(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : cells(memory), boundaries(memory), order(memory), sources(memory)
    {}

    std::size_t size = 0; ///< number of particles
    std::vector<Cell, UnsetAllocator<Cell>> cells;
    Boundaries boundaries;            ///< between the sorted particles
    std::pmr::vector<Index> order;    ///< sorted particle k is the caller's particle order[k]
    std::pmr::vector<Source> sources; ///< the particles in sorted order
    /// Squared softening lengths, in the order of `sources`; empty: one length for all.
    std::vector<double> softening;
    std::size_t divided = 0;                ///< number of cells with daughters
    std::vector<std::vector<Cell>> scratch; ///< memory kept between builds, to save page faults

    bool is_leaf(Index cell) const { return cells[cell].next == cell + 1; }
};

/// Divides the root cube by octree.boundaries until no cell has more than leaf_size particles.
/// Reads `positions` and octree.order, and refines order and boundaries, only for particles that
/// share a key. With an empty order such particles stay together in one leaf.
void divide_into_cells(Octree& octree, std::span<const Vec3<double>> positions, int leaf_size);

/// Appends the subtree that divide_into_cells() would make of `whole`, a cell with `begin`, `count`
/// and `octant`. In appended cells, `next` is an index into `cells`. Coincident particles keep
/// their order, or follow `number` (per position) if given. Several threads may divide disjoint
/// ranges.
void append_cells(std::vector<Cell>& cells, Octree& octree, const Cell& whole,
                  std::span<const Vec3<double>> positions, int leaf_size,
                  std::span<const GlobalIndex> number = {});

/// Fills octree.sources with the particles in sorted order.
void gather_sources(Octree& octree, std::span<const Vec3<double>> positions,
                    std::span<const double> masses);

/// Max number of particles: an Index must count them, plus padding in the last tile or block.
inline constexpr std::size_t largest_number = 0xffffff00;

/// Cell::begin of a cell without a range of particles on this rank: absent (tree/domain/).
inline constexpr Index absent_particles = largest_number;

/// Throws Error(input) if there are more particles than largest_number.
void check_number(std::size_t n);

/// Max leaf size, placement of the root cube, and the word for a particle in errors.
struct OctreePlan {
    OctreePlan(int largest_leaf, CubePlacement root = {}, const char* word_of_particle = "particle")
        : leaf_size(largest_leaf), placement(root), word(word_of_particle)
    {}

    int leaf_size;
    CubePlacement placement;
    const char* word; ///< TreeParticles::word
};

/// Sorts the particles and divides the root cube until no cell has more than leaf_size particles.
/// Coincident particles stay together in one leaf, which bounds the depth. Reuses the memory of
/// `octree`. Throws Error(input) if a position is not finite or there are too many particles.
void build_octree(Octree& octree, std::span<const Vec3<double>> positions,
                  std::span<const double> masses, const OctreePlan& plan, KeySorter& sorter);

} // namespace chamomile
