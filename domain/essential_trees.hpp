/// \file  The cells and particles of other ranks that the lists of a rank need: its locally
/// essential tree (Salmon 1991; Warren & Salmon 1993).
#pragma once

#include <vector>

#include "chamomile/domain/domain_part.hpp"
#include "chamomile/domain/local_trees.hpp"

namespace chamomile {

/// An EssentialCell is a cell of another rank, in depth-first order below a leaf of the coarse
/// tree.
struct EssentialCell {
    Multipole multipole;
    Box bounds;
    Index count;
    Index next; ///< the number of cells from this one to the next that is not below it
    Index octant;
    Index has_particles; ///< 1 if its particles are here, in their order; then it has no daughters
};

/// EssentialLeaf tells how many cells below a leaf have come, and particles; those without any cell
/// are of the leaf itself.
struct EssentialLeaf {
    Index leaf, cells, particles;
};

/// EssentialTrees are what has come from the other ranks, by rising leaf.
struct EssentialTrees {
    std::vector<EssentialLeaf> leaves;
    std::vector<EssentialCell> cells;
    std::vector<HigherMoments> higher; ///< of each cell, for orders 3 and 4
    std::vector<Source> particles;
    /// With per-particle softening: the softening of each cell, and eps^2 of each particle.
    std::vector<CellSoftening> softening;
    std::vector<double> lengths;
};

/// Sends each rank what it asks of this one, and returns what comes from all.
EssentialTrees import_trees(const Asked& asked, const LocalTrees& local, std::size_t first_leaf,
                            Communicator& communicator);

/// Questions are the regions of a rank's clusters, which ask other ranks for cells. Their memory
/// serves the next evaluation again.
struct Questions {
    std::vector<Region> regions;
    std::vector<char> asks;  ///< whether each region asks any rank
    Inbox asked;             ///< what other ranks ask
    int partners = 0;        ///< ranks that are asked
    std::uint64_t bytes = 0; ///< sent for imports by this rank

    /// Sends the regions to the ranks whose trees they open, and receives those of other ranks.
    void exchange(const AcceptanceCriterion& criterion, const TreeReach& reach,
                  const DealtTree& tree, Communicator& communicator);

private:
    std::vector<char> wanted_;            ///< whether each region asks each rank
    std::vector<std::vector<Region>> to_; ///< by rank
};

} // namespace chamomile
