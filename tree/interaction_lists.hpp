/// \file  Interaction lists, each shared by a group of particles (Barnes 1990).
#pragma once

#include <span>
#include <vector>

#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/walk_region.hpp"

namespace chamomile {

/// A range of sorted particles in a list. `before` sums the sizes of earlier ranges, so the size of
/// this range is the next range's `before` (last range: ListRow::particle_count) minus `before`.
struct ParticleRange {
    Index first;  ///< first sorted particle
    Index before; ///< number of particles in earlier ranges of the list
};

inline constexpr Index no_cluster = 0xffffffff;

/// A cluster in a batch of lists: its far cells are expanded about its center, once for all groups.
struct ClusterRow {
    Index far_begin, far_end; ///< in `far_cells`
    Vec3<double> center;
    double radius;                      ///< of the targets' box: distance to a corner
    SofteningSpan softening;            ///< of the targets, with per-particle softening
    Index open_begin = 0, open_end = 0; ///< in `open`: cells left to the groups
};

/// A group in a batch of lists: its targets feel their cluster's far cells, and the far cells,
/// cells and ranges listed here.
struct ListRow {
    Index target_begin, target_end;
    Index cluster;                ///< in `clusters`; no_cluster: none
    Index far_begin, far_end;     ///< in `far_cells`: expanded about the group's center
    Index cell_begin, cell_end;   ///< in `cells`: act on each particle as multipoles
    Index range_begin, range_end; ///< in `ranges`
    Index particle_count;         ///< in all ranges of this list
    Vec3<double> center;          ///< of the group
    double radius;                ///< of the targets' box: distance to a corner
    /// Sources within this distance of the center along each axis get coordinates in two floats, so
    /// that close positions keep their difference. 0: only the targets themselves.
    Vec3<double> near_distance;
    SofteningSpan softening; ///< of the targets, with per-particle softening
};

/// Returns the work of a group's lists per target, in units of particle pairs. A pair with a cell
/// takes 2.2 times as long as a pair of particles, an expansion 43 times. `expansions`: number of
/// far cells of the group, plus its share of the cluster's.
CHAMOMILE_HD float row_work(Index targets, Index particles, Index cells, double expansions)
{
    return float(particles + 2.2 * cells + 43 * expansions / targets);
}

/// The lists for a batch of groups, as indices: far cells with expanded fields, cells as
/// multipoles, and ranges of particles. For each group they hold every particle once.
///
/// Alternatively the evaluator finishes the lists. It continues from the cells left to the groups
/// of each cluster (`open`), by the same decisions (tree/walk_decisions.hpp), for the regions of
/// the groups.
struct InteractionLists {
    std::vector<ListRow> rows;
    std::vector<ClusterRow> clusters;
    std::vector<Index> cells, far_cells;
    std::vector<ParticleRange> ranges;
    std::vector<Index> open;         ///< lanes of nodes (lane_of_node())
    std::vector<WalkRegion> regions; ///< one per row; empty: the lists are complete

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

/// Appends a list of all n particles for each group, for a direct sum.
void list_all_particles(InteractionLists& lists, Index n, std::span<const Group> groups);

} // namespace chamomile
