/// \file  Imports of a rank: the remote cells and particles that its lists need, for its locally
/// essential tree (Salmon 1991; Warren & Salmon 1993).
#pragma once

#include <vector>

#include "chamomile/tree/domain/domain_part.hpp"
#include "chamomile/tree/domain/local_trees.hpp"

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

/// Cells and particles imported from remote ranks, by rising leaf.
struct ImportedCells {
    std::vector<EssentialLeaf> leaves;
    std::vector<EssentialCell> cells;
    std::vector<HigherMoments> higher; ///< per cell, for orders 3 and 4
    std::vector<Source> particles;
    std::vector<CellSoftening> softening;   ///< per cell, with per-particle softening
    std::vector<double> particle_softening; ///< eps^2 per particle, with per-particle softening
};

/// Sends each rank the local cells that its regions open, and returns the cells received.
/// `first_leaf`: first leaf of this rank. Collective.
ImportedCells import_cells(const ImportRequests& asked, const LocalTrees& local,
                           std::size_t first_leaf, Communicator& communicator);

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
