/// \file  Locally essential tree of a rank: the remote cells and particles that its lists need
/// (Salmon 1991; Warren & Salmon 1993).
#pragma once

#include <vector>

#include "chamomile/domain/domain_part.hpp"
#include "chamomile/domain/local_trees.hpp"

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

/// Numbers of imported cells and particles below one leaf of the coarse tree. Particles without any
/// cell belong to the leaf itself.
struct EssentialLeaf {
    Index leaf, cells, particles;
};

/// Cells and particles imported from remote ranks, by rising leaf.
struct ImportedCells {
    std::vector<EssentialLeaf> leaves;
    std::vector<EssentialCell> cells;
    std::vector<HigherMoments> higher; ///< per cell, for orders 3 and 4
    std::vector<Source> particles;
    /// With per-particle softening: per cell, and eps^2 per particle.
    std::vector<CellSoftening> softening;
    std::vector<double> lengths;
};

/// Sends each rank the cells that its regions open, and returns the cells received. `first_leaf`:
/// first leaf of this rank. Collective.
ImportedCells import_cells(const ImportRequests& asked, const LocalTrees& local,
                           std::size_t first_leaf, Communicator& communicator);

/// Requests for remote cells: the regions of a rank's clusters. Memory is kept for the next
/// evaluation.
struct RegionExchange {
    std::vector<ImportRegion> regions;
    std::vector<char> asks;  ///< per region: 1 if it asks any rank
    Inbox asked;             ///< requests from remote ranks
    int partners = 0;        ///< number of ranks asked
    std::uint64_t bytes = 0; ///< sent for imports by this rank

    /// Sends each region to every rank with a leaf that it opens, and receives remote regions.
    void exchange(const AcceptanceCriterion& criterion, const TreeReach& reach,
                  const DistributedTree& tree, Communicator& communicator);

private:
    std::vector<char> wanted_;                  ///< per region and rank: 1 if asked
    std::vector<std::vector<ImportRegion>> to_; ///< by rank
};

} // namespace chamomile
