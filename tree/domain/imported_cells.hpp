/// \file  Imports of a rank: the remote cells and particles that its lists need, for its locally
/// essential tree (Salmon 1991; Warren & Salmon 1993).
#pragma once

#include <vector>

#include "chamomile/tree/domain/exported_cells.hpp"

namespace chamomile {

/// ImportedCells answer the import requests of other ranks (DomainPart::import()) and append
/// imported cells, moments, particles and nodes behind the local ones of a tree.
///
/// A cell is *absent* if neither its daughters nor its particles are on this rank. Lists may accept
/// it. A list that opens it has a range that begins at absent_particles (has_absent()).
class ImportedCells {
public:
    /// Drops the imports: the tree keeps the cells of `own`.
    void clear(Tree& tree, const TopOfTree& top, const OwnCells& own);
    /// Answers the other ranks from `local`, the cells of a tree without imports, and appends their
    /// answers to the tree. Collective.
    void import(Tree& tree, const ImportRequests& asked, const LocalCells& local,
                Communicator& ranks);
    /// Adds the nodes of imported cells behind the nodes of `own`.
    void add_nodes(Tree& tree, const TopOfTree& top, const OwnCells& own, const CoarseTree& coarse,
                   const AcceptanceCriterion& criterion) const;

    Imported imported() const { return imported_; }
    std::size_t held_bytes() const;

private:
    void append(Tree& tree, std::span<const MessageOfCells> messages);

    CellExports exports_;
    Inbox inbox_;
    std::vector<ImportedLeaf> leaves_;
    Imported imported_;
};

/// Returns whether any list opens an absent cell.
bool has_absent(const InteractionLists& lists);

} // namespace chamomile
