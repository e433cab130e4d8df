/// \file  Snapshots that are written while the run goes on.
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A SnapshotWriter writes one snapshot at a time in a thread of its own, from a copy. Files appear
/// whole or not at all, as with write_snapshot().
class SnapshotWriter {
public:
    SnapshotWriter() = default;
    ~SnapshotWriter();
    SnapshotWriter(const SnapshotWriter&) = delete;
    SnapshotWriter& operator=(const SnapshotWriter&) = delete;

    /// Finishes the snapshot before, and begins to write this one, whose particles the rows give.
    /// Where these live elsewhere, or the memory has no room for a copy, it is on the disk when the
    /// call returns. Throws Error(output) where either cannot be written.
    void write(const Snapshot& snapshot, ParticleRows& rows, const std::filesystem::path& file);

    /// Waits until the snapshot is on the disk. Throws Error(output) if it cannot be written; the
    /// next call then tries again.
    void finish();

private:
    void write_copy();

    Snapshot copy_;
    std::filesystem::path file_; ///< of the copy, until it is on the disk
    std::thread thread_;
    std::exception_ptr failure_;
};

} // namespace chamomile
