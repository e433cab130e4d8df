/// \file  The cells and particles of other ranks that the lists of a rank need: its locally
/// essential tree (Salmon 1991; Warren & Salmon 1993).
#pragma once

#include <algorithm>
#include <vector>

#include "chamomile/domain/local_trees.hpp"
#include "chamomile/tree/own_softenings.hpp"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// A Region tells what a cluster's walk opens: by the box of its targets and the factor of its
/// criterion, and by the place at which its acceleration is estimated.
struct Region {
    Box box;
    double relative_factor = 0;
    Vec3<double> center_of_mass;
    double extent = 0; ///< about the centre of mass, where places around it are looked at too
};

/// Sight says for what a region opens cells.
enum class Sight {
    estimate, ///< for the estimate of its acceleration, which needs cells alone
    lists     ///< for that and for its lists
};

/// An Opening decides which regions open a cell: all those whose walks open it, and by rounding
/// hardly any more.
class Opening {
public:
    Opening(const AcceptanceCriterion& criterion, const Multipole& multipole,
            const CellReach& reach, Sight sight);

    /// An Answer tells whether the cell's daughters are needed, or a leaf's particles.
    struct Answer {
        bool daughters, particles;
    };
    Answer by(const Region& region) const
    {
        Answer answer{false, false};
        if (of_lists_) {
            const double accepted = std::max(relative_ * region.relative_factor + guard_, least_);
            answer.particles = region.box.distance_squared(center_) <= accepted * accepted;
            answer.daughters = answer.particles;
        }
        if (of_estimate_ && !answer.daughters) {
            const double estimate = rounding * (estimate_ + region.extent);
            answer.daughters = norm_squared(center_ - region.center_of_mass) < estimate * estimate;
        }
        return answer;
    }

private:
    /// The reach is made longer by this part, so that no rounding of the walk opens more.
    static constexpr double rounding = 1 + 1e-9;

    Vec3<double> center_;
    double estimate_ = 0, least_, guard_, relative_; // distances
    bool of_estimate_, of_lists_;
};

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
    /// These are of each cell, and the eps^2 of each particle, where they have lengths of their
    /// own.
    std::vector<CellSoftening> softening;
    std::vector<double> lengths;
    int partners = 0; ///< ranks that were asked
};

/// A DealtTree refers to the tree of all ranks and to this rank's part of it.
struct DealtTree {
    const CoarseTree& coarse;
    const Domains& domains;
    const LocalTrees& local;
};

/// Returns what the regions of this rank open of other ranks' trees. `reach` is that of the whole
/// tree, by which find_reaches() has found those of this rank's cells.
EssentialTrees import_trees(const std::vector<Region>& regions, Sight sight,
                            const AcceptanceCriterion& criterion, const TreeReach& reach,
                            const DealtTree& tree, Communicator& communicator);

} // namespace chamomile
