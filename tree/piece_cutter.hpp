/// \file  Cutting a tree into pieces.
#pragma once

#include <cassert>

#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// Cuts a tree into pieces within the limits, in order. Only a leaf may exceed the limits. Targets
/// have a function in(cell, within), which returns the Range of the targets in a cell. Of the
/// moments only the bounds are read, except by whole().
template <class Targets>
class PieceCutter {
public:
    using Range = typename Targets::Range;
    using Piece = PieceOf<Range>;

    /// Keeps references.
    PieceCutter(const Targets& targets, const Octree& octree, const Moments& moments,
                PieceLimits limits)
        : targets_(targets), octree_(octree), moments_(moments), limits_(limits)
    {}

    template <class Add>
    void cut(const Piece& piece, Add add) const
    {
        if (piece.end_octant == 0)
            cut_cell(piece.cell, piece.targets, add);
        else
            cut_block(piece.cell, piece.first_octant, piece.end_octant, piece.targets, add);
    }

    /// Cuts a cell with these targets. Calls add() for each piece.
    template <class Add>
    void cut_cell(Index c, Range targets, Add add) const
    {
        if (!limits_.fit(targets.count(), octree_.cells[c].count, moments_.bounds[c]) &&
            !octree_.is_leaf(c))
            cut_block(c, 0, 8, targets, add);
        else if (targets.count() > 0)
            add(Piece{c, 0, 0, targets, moments_.bounds[c]});
    }

    Multipole whole(const Piece& piece) const
    {
        if (piece.end_octant == 0)
            return moments_.multipole[piece.cell];
        Multipole whole;
        const Index end = octree_.cells[piece.cell].next;
        for (Index d = piece.cell + 1; d < end; d = octree_.cells[d].next)
            if (const Index octant = octree_.cells[d].octant;
                octant >= piece.first_octant && octant < piece.end_octant)
                whole = joint(whole, moments_.multipole[d]);
        return whole;
    }

private:
    /// Cuts a cell's daughters at octants first .. last: one piece if they fit, else two halves.
    /// Octants are halved along x, then y, then z, so that the box of a block contains no part of
    /// another sister. `last` is excluded. `within` contains the block's targets.
    template <class Add>
    void cut_block(Index mother, Index first, Index last, Range within, Add add) const
    {
        assert(first < last && last <= 8 && within.begin <= within.end);
        Sisters<Range> sisters;
        Index daughter = 0;
        for (Index d = mother + 1; d < octree_.cells[mother].next; d = octree_.cells[d].next) {
            const Cell& cell = octree_.cells[d];
            if (cell.octant < first || cell.octant >= last)
                continue;
            const Range targets = targets_.in(d, within);
            within.begin = targets.end;
            sisters.add(cell.count, moments_.bounds[d], targets);
            if (targets.count() > 0)
                daughter = d;
        }
        if (sisters.targets.count() == 0)
            return;
        if (sisters.are_one_piece(limits_)) {
            add(Piece{mother, first, last, sisters.targets, sisters.box});
        } else if (last - first == 1) {
            cut_cell(daughter, sisters.targets, add);
        } else {
            const Index middle = (first + last) / 2;
            cut_block(mother, first, middle, sisters.targets, add);
            cut_block(mother, middle, last, sisters.targets, add);
        }
    }

    const Targets& targets_;
    const Octree& octree_;
    const Moments& moments_;
    PieceLimits limits_;
};

} // namespace chamomile
