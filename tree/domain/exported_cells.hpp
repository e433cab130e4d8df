/// \file  Requests of ranks for remote cells, and the answers: the cells and particles that the
/// lists of another rank need.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "chamomile/core/large_memory.hpp"
#include "chamomile/tree/domain/top_of_tree.hpp"

namespace chamomile {

/// A remote cell below a leaf of the coarse tree. Cells follow in depth-first order.
struct EssentialCell {
    Multipole multipole;
    Box bounds;
    Index count;
    Index next; ///< number of cells in the subtree, this cell included
    Index octant;
    Index has_particles; ///< 1: its particles were sent, in tree order, and it has no daughters
};

/// Numbers of imported cells and particles below one leaf of the coarse tree. With 0 cells, the
/// particles belong to the leaf itself, which has no daughters.
struct EssentialLeaf {
    Index leaf, cells, particles;
};

/// Cells and particles for a remote rank, by rising leaf.
struct ExportedCells {
    std::vector<EssentialCell> cells;
    std::vector<HigherMoments> higher;    ///< per cell, for orders 3 and 4
    std::vector<CellSoftening> softening; ///< per cell, with per-particle softening
    std::vector<Source> particles;
    std::vector<double> particle_softening; ///< eps^2 per particle, with per-particle softening
    std::vector<EssentialLeaf> leaves;

    /// Calls visit(k, array) for each array. Wide records come first, for alignment in messages.
    template <class Cells, class Visit>
    static void for_each_array(Cells& of, const Visit& visit)
    {
        visit(0, of.cells);
        visit(1, of.higher);
        visit(2, of.softening);
        visit(3, of.particles);
        visit(4, of.particle_softening);
        visit(5, of.leaves);
    }
};

/// The arrays of ExportedCells in a message, as bytes: records there may not be aligned.
struct MessageOfCells {
    std::array<std::span<const std::byte>, 6> array; ///< in the order of for_each_array()

    explicit MessageOfCells(std::span<const std::byte> message);
    std::span<const std::byte> cells() const { return array[0]; }
    std::span<const std::byte> particles() const { return array[3]; }
    std::span<const std::byte> leaves() const { return array[5]; }
};

/// This rank's cells, for exports.
struct LocalCells {
    const Octree& octree;
    const Moments& moments;
    const OwnCells& own;
    std::span<const OpeningRadius> reach; ///< per cell
};

/// Answers requests for local cells. Memory is kept.
class CellExports {
public:
    /// Returns for each rank a message with the cells and particles that its regions open; empty if
    /// they open none. The messages last until the next call.
    std::vector<std::span<const std::byte>> answer(const ImportRequests& asked,
                                                   const LocalCells& local, int ranks);

    std::size_t held_bytes() const;

private:
    std::vector<ExportedCells> of_leaf_; ///< for one rank
    std::vector<UnsetArray<std::byte>> messages_;
};

/// Requests for remote cells. A request is the region of a cluster, sent to ranks that own leaves
/// it opens. Memory is kept for the next evaluation.
struct RegionExchange {
    std::vector<ImportRegion> regions; ///< of this rank's clusters
    Inbox asked;                       ///< regions received from remote ranks
    int partners = 0;                  ///< number of ranks that regions were sent to
    std::uint64_t bytes = 0;           ///< sent for imports by this rank

    /// Sends each region to every rank with a leaf that it opens, and receives remote regions.
    /// `part` finds the ranks.
    void exchange(const AcceptanceCriterion& criterion, const TreeReach& reach,
                  const DistributedTree& tree, DomainPart& part, Communicator& communicator);

private:
    std::vector<char> wanted_;                  ///< per region and rank: 1 if to be sent
    std::vector<std::vector<ImportRegion>> to_; ///< regions for each rank
};

} // namespace chamomile
