/// \file  HDF5 snapshots in one file or in pieces, written by one rank or by several.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/io/rows_by_type.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A WholeSnapshot holds everything that the files of a snapshot state, except its rows.
struct WholeSnapshot {
    SnapshotFacts facts;
    std::vector<std::uint64_t> counts; ///< particles per type
    std::vector<std::string> extra;    ///< names of the extra columns
    bool has_softenings = false;       ///< per-particle softening
    /// Softening length per type; empty if particles of one type differ in length.
    std::vector<double> softenings;

    WholeSnapshot() = default;
    explicit WholeSnapshot(const Snapshot& snapshot);

    void exchange(Archive& archive);
};

/// Writes a snapshot in one file, or in pieces with their master. Collective: each rank writes its
/// share of the pieces, the last rank a single file, and rank 0 the master. All files appear
/// together, or none. Returns false, without files, if a rank cannot open the files that rank 0
/// creates in the folder. Throws CollectiveError(output).
bool write_pieces(const WholeSnapshot& whole, RowsByType& rows, const std::filesystem::path& path,
                  int pieces, Communicator& ranks);

} // namespace chamomile
