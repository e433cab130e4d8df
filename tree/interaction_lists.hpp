/// \file  Barnes (1990): one walk of the tree serves a whole group of particles.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "tree/acceptance.hpp"
#include "tree/groups.hpp"

namespace chamomile {

/// Sorted particles first .. first + (the next range's `before` - before) of one list.
struct ParticleRange {
    Index first;  ///< sorted particle
    Index before; ///< particles of this list in the ranges before
};

/// One group's part of a batch: targets begin .. end against the cells and ranges of its list.
struct ListRow {
    Index target_begin, target_end;
    Index cell_begin, cell_end;   ///< in `cells`
    Index range_begin, range_end; ///< in `ranges`
    Index particle_count;         ///< in all ranges of this list
    Vec3<double> center;          ///< of the group
    /// Tiles with sources within this of the centre along each axis are evaluated with coordinates
    /// in two floats, as are in any case those that hold targets of the group.
    Vec3<double> near_reach;
};

/// The lists of a batch of groups: the cells that each sees as multipoles and the particles that it
/// sees one by one, as indices. The evaluator that will read them says where the memory lies.
struct InteractionLists {
    explicit InteractionLists(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : rows(memory), cells(memory), ranges(memory)
    {}

    std::pmr::vector<ListRow> rows;
    std::pmr::vector<Index> cells;
    std::pmr::vector<ParticleRange> ranges;

    void clear()
    {
        rows.clear();
        cells.clear();
        ranges.clear();
    }
};

/// Appends the list of each group by a walk of the tree: a cell far enough from the group's box is
/// listed, a leaf too near gives its particles (the group's own among them), others are opened.
void list_interactions(InteractionLists& lists, std::span<const WalkCell> walk,
                       std::span<const Group> groups);

/// Appends a list of all n particles for each group: the direct sum.
void list_all_particles(InteractionLists& lists, Index n, std::span<const Group> groups);

} // namespace chamomile
