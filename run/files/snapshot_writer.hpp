/// \file  Snapshots that are written in the background of a run.
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <thread>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A SnapshotWriter copies a snapshot and writes it in a background thread. Files appear only when
/// complete, like with write_snapshot().
class SnapshotWriter {
public:
    SnapshotWriter() = default;
    ~SnapshotWriter();
    SnapshotWriter(const SnapshotWriter&) = delete;
    SnapshotWriter& operator=(const SnapshotWriter&) = delete;

    /// Finishes the previous snapshot and starts writing this one in `pieces` files, with particle
    /// data from `rows`. Writes synchronously if the rows are not in memory or a copy does not fit
    /// in memory. Throws Error(output) if either snapshot cannot be written.
    void write(const Snapshot& snapshot, ParticleReader& rows, const std::filesystem::path& file,
               int pieces = 1);

    /// Waits until the snapshot is on disk. Throws Error(output) on failure; the next call then
    /// tries again.
    void finish();

private:
    void write_copy();

    Snapshot copy_;
    std::filesystem::path file_; ///< target of the copy, until written
    int pieces_ = 1;
    std::thread thread_;
    std::exception_ptr failure_;
};

} // namespace chamomile
