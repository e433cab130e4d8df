/// \file  The locally essential tree of a rank on its GPU: what it exports, and what it appends.
#pragma once

#include <span>
#include <vector>

#include "chamomile/domain/domain_part.hpp"
#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/ranks/device_exchange.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// OwnCells are the cells of a rank, before any are imported.
struct OwnCells {
    Index cells = 0, nodes = 0, sources = 0; ///< how many
    std::vector<Index> roots;                ///< the cell of each of its leaves of the coarse tree
    std::size_t first_leaf = 0;              ///< of the coarse tree
};

/// An ImportedLeaf is what has come of a leaf of the coarse tree.
struct ImportedLeaf {
    Index leaf;
    Index first_cell, cells;         ///< of the tree
    Index first_particle, particles; ///< among the sources; of the leaf itself if it has no cells
};

/// EssentialCells answer what other ranks ask (DomainPart::import()), and append what they answer
/// behind a rank's own cells: cells, moments and sources, as in the tree of one rank.
class EssentialCells {
public:
    EssentialCells(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}

    /// Takes the cells of this rank's leaves of the coarse tree, with the number of the node of
    /// each cell's daughters, on the device.
    void take_roots(std::span<const Index> roots, const Index* node_of);

    /// Answers the other ranks and appends their answers; `root` is the root of the whole tree.
    void import(const OwnCells& own, const Asked& asked, const Multipole& root,
                Communicator& ranks);

    std::span<const ImportedLeaf> leaves() const { return leaves_; }
    Imported imported() const { return imported_; }
    std::size_t divided() const { return divided_; } ///< of the imported cells

    /// Forgets what was imported.
    void clear()
    {
        leaves_.clear();
        imported_ = {};
        divided_ = 0;
    }

private:
    DeviceParcel answer(const OwnCells& own, const Asked& asked, const Multipole& root, int rank);
    void append(const OwnCells& own, bool has_higher, Communicator& ranks);

    DeviceTree& tree_;
    CachingAllocator& scratch_;
    DeviceBuffer<Region> regions_;
    DeviceBuffer<Index> roots_, root_nodes_, opened_;
    DeviceBuffer<std::byte> counts_, root_counts_;
    PinnedBuffer<std::byte> host_counts_;
    std::vector<DeviceBuffer<std::byte>> leaving_; // for each rank
    DeviceExchange exchange_;
    std::vector<ImportedLeaf> leaves_;
    Imported imported_;
    std::size_t divided_ = 0;
};

} // namespace chamomile
