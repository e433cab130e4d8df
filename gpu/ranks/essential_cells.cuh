/// \file  The locally essential tree of a rank on its GPU: exports and imports of cells.
#pragma once

#include <span>
#include <vector>

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/ranks/device_exchange.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"
#include "chamomile/tree/domain/top_of_tree.hpp"

namespace chamomile {

/// An EssentialCells answers the import requests of other ranks (DomainPart::import()) and appends
/// imported cells, moments and sources behind the rank's cells.
class EssentialCells {
public:
    EssentialCells(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}

    /// Sets the cells of this rank's coarse leaves. `node_of`: device array, for each cell the node
    /// of its daughters.
    void set_roots(std::span<const Index> roots, const Index* node_of);

    /// Finds the ranks whose leaves these regions open (DomainPart::find_owners()).
    void find_owners(std::span<const CoarseOpening> coarse, std::span<const ImportRegion> regions,
                     int ranks, std::span<char> owners);

    /// Answers the other ranks and appends their answers. `root`: moments of the global root.
    void import(const OwnCells& own, const ImportRequests& asked, const Multipole& root,
                Communicator& ranks);

    std::span<const ImportedLeaf> leaves() const { return leaves_; }
    Imported imported() const { return imported_; }
    std::size_t divided() const { return divided_; } ///< divided imported cells

    /// Drops the imports.
    void clear()
    {
        leaves_.clear();
        imported_ = {};
        divided_ = 0;
    }

private:
    DeviceMessage answer(const OwnCells& own, const ImportRequests& asked, const Multipole& root,
                         int rank);
    void append(const OwnCells& own, bool has_higher, Communicator& ranks);

    DeviceTree& tree_;
    CachingAllocator& scratch_;
    DeviceBuffer<ImportRegion> regions_;
    DeviceBuffer<CoarseOpening> coarse_;
    DeviceBuffer<char> owners_;
    DeviceBuffer<Index> roots_, root_nodes_, opened_;
    DeviceBuffer<std::byte> counts_, root_counts_;
    PinnedBuffer<std::byte> host_counts_;
    std::vector<DeviceBuffer<std::byte>> leaving_; // by rank
    DeviceExchange exchange_;
    std::vector<ImportedLeaf> leaves_;
    Imported imported_;
    std::size_t divided_ = 0;
};

} // namespace chamomile
