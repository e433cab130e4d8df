/// \file  Interaction lists that serve a whole group of particles (Barnes 1990).
#pragma once

#include <span>
#include <vector>

#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/walk_region.hpp"

namespace chamomile {

/// A ParticleRange is a run of sorted particles in one list: first .. first + (the next range's
/// `before` - before).
struct ParticleRange {
    Index first;  ///< particles of this list in earlier ranges
    Index before; ///< particles of this list in the ranges before
};

inline constexpr Index no_cluster = 0xffffffff;

/// A ClusterRow lists the cells so far from a cluster of neighbouring groups that their field is
/// expanded about the cluster's centre, once for all its groups.
struct ClusterRow {
    Index far_begin, far_end; ///< in `far_cells`
    Vec3<double> center;
    double radius;                      ///< largest distance of a target's place from the centre
    SofteningSpan softening;            ///< of targets with lengths of their own
    Index open_begin = 0, open_end = 0; ///< in `open`
};

/// A ListRow is one group's part of a batch: targets begin .. end feel their cluster's far cells
/// and the cells and ranges of their own list.
struct ListRow {
    Index target_begin, target_end;
    Index cluster;                ///< in `clusters`; no_cluster: none
    Index far_begin, far_end;     ///< in `far_cells`: expanded about the group's centre
    Index cell_begin, cell_end;   ///< in `cells`: act on each particle as multipoles
    Index range_begin, range_end; ///< in `ranges`
    Index particle_count;         ///< in all ranges of this list
    Vec3<double> center;          ///< of the group
    double radius;                ///< largest distance of a target's place from the centre
    /// Tiles with sources within this of the centre along each axis are evaluated with coordinates
    /// in two floats, and so are tiles that hold targets of the group.
    Vec3<double> near_distance;
    SofteningSpan softening; ///< of targets with lengths of their own
};

/// Returns the work of a group's lists for each target, in pairs of particles, of which a pair with
/// a cell takes 2.2 times as long and an expansion 43 times. `expansions` are the group's own and
/// its share of its cluster's.
CHAMOMILE_HD float row_work(Index targets, Index particles, Index cells, double expansions)
{
    return float(particles + 2.2 * cells + 43 * expansions / targets);
}

/// InteractionLists holds the lists of a batch of groups as indices: the cells whose fields are
/// expanded, the cells that each group sees as multipoles and the particles that it sees one by
/// one. Together they hold every particle once.
///
/// Or the lists of groups are left to the evaluator, which goes on from the cells that each cluster
/// leaves open, by the same decisions (tree/walk_decisions.hpp) for the regions of the groups.
struct InteractionLists {
    std::vector<ListRow> rows;
    std::vector<ClusterRow> clusters;
    std::vector<Index> cells, far_cells;
    std::vector<ParticleRange> ranges;
    std::vector<Index> open;         ///< lanes of nodes (tree/walk_nodes.hpp)
    std::vector<WalkRegion> regions; ///< of the rows; empty: their lists are whole

    bool are_open() const { return !regions.empty(); }

    void clear()
    {
        rows.clear();
        clusters.clear();
        cells.clear();
        far_cells.clear();
        ranges.clear();
        open.clear();
        regions.clear();
    }
};

/// Appends a list of all n particles for each group, which gives the direct sum.
void list_all_particles(InteractionLists& lists, Index n, std::span<const Group> groups);

} // namespace chamomile
