/// \file  Barnes (1990): one interaction list serves a whole group of particles.
#pragma once

#include <span>
#include <vector>

#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Sorted particles first .. first + (the next range's `before` - before) of one list.
struct ParticleRange {
    Index first;  ///< sorted particle
    Index before; ///< particles of this list in the ranges before
};

inline constexpr Index no_cluster = 0xffffffff;

/// A cluster of neighbouring groups: cells so far away that their field is expanded about the
/// cluster's centre, once for all its groups.
struct ClusterRow {
    Index far_begin, far_end; ///< in `far_cells`
    Vec3<double> center;
    double radius; ///< largest distance of a target's place from the centre
};

/// One group's part of a batch: targets begin .. end against its cluster's far cells and against
/// the cells and ranges of its own list.
struct ListRow {
    Index target_begin, target_end;
    Index cluster;                ///< in `clusters`; no_cluster: none
    Index far_begin, far_end;     ///< in `far_cells`: expanded about the group's centre
    Index cell_begin, cell_end;   ///< in `cells`: felt by each particle as multipoles
    Index range_begin, range_end; ///< in `ranges`
    Index particle_count;         ///< in all ranges of this list
    Vec3<double> center;          ///< of the group
    double radius;                ///< largest distance of a target's place from the centre
    /// Tiles with sources within this of the centre along each axis are evaluated with coordinates
    /// in two floats, as are in any case those that hold targets of the group.
    Vec3<double> near_reach;
};

/// The lists of a batch of groups: the cells whose fields are expanded, the cells that each group
/// sees as multipoles and the particles that it sees one by one, as indices. Together they hold
/// every particle once.
struct InteractionLists {
    std::vector<ListRow> rows;
    std::vector<ClusterRow> clusters;
    std::vector<Index> cells, far_cells;
    std::vector<ParticleRange> ranges;

    void clear()
    {
        rows.clear();
        clusters.clear();
        cells.clear();
        far_cells.clear();
        ranges.clear();
    }
};

/// Appends a list of all n particles for each group: the direct sum.
void list_all_particles(InteractionLists& lists, Index n, std::span<const Group> groups);

} // namespace chamomile
