// Snapshots written in the background of a run: complete, one at a time, and again after a failure.
#include <algorithm>

#include "chamomile/core/system/free_memory.hpp"
#include "chamomile/run/files/snapshot_writer.hpp"
#include "tests/unit/rows_in_blocks.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("snapshot_writer");

TEST_CASE("background writes store the snapshot at the time of the call")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot(6 * 66001); // two chunks per type, the second not full
    write_snapshot(snapshot, folder / "now.hdf5");
    RowsInMemory rows(snapshot.particles);
    SnapshotWriter writer;
    writer.write(snapshot, rows, folder / "beside.hdf5");
    snapshot.particles.position[0].x += 1;
    writer.write(snapshot, rows, folder / "moved.hdf5");
    CHECK(file_bytes(folder / "beside.hdf5") == file_bytes(folder / "now.hdf5"));
    writer.finish();
    check_same_particles(read_snapshot(folder / "moved.hdf5").particles, snapshot.particles, false);

    writer.write(snapshot, rows, folder / "none/later.hdf5");
    CHECK_THROWS_AS(writer.finish(), Error);
    CHECK_THROWS_AS(writer.finish(), Error); // the folder is still missing
    std::filesystem::create_directories(folder / "none");
    CHECK_NOTHROW(writer.finish());
    CHECK(file_bytes(folder / "none/later.hdf5") == file_bytes(folder / "moved.hdf5"));
    CHECK(free_memory() > 1 << 20);
}

TEST_CASE("snapshots written from blocks and from memory have equal bytes")
{
    const TemporaryFolder folder;
    const std::size_t n = 6 * 66001;
    Snapshot snapshot = sample_snapshot(n);
    snapshot.has_accelerations = snapshot.has_potentials = true;
    for (const bool are_sorted : {false, true}) { // sorted by type: one type is contiguous
        if (are_sorted)
            std::ranges::sort(snapshot.particles.type);
        write_snapshot(snapshot, folder / "whole.hdf5");
        Snapshot rest = snapshot;
        rest.particles = without_motion(snapshot.particles);
        for (const std::size_t max : {std::size_t(100), std::size_t(1) << 16}) {
            RowsInBlocks rows(snapshot.particles, max);
            SnapshotWriter writer;
            writer.write(rest, rows, folder / "blocks.hdf5");
            CHECK(file_bytes(folder / "blocks.hdf5") == file_bytes(folder / "whole.hdf5"));
            CHECK(rows.largest() == 1 << 16); // at least one chunk
        }
    }
}

TEST_SUITE_END();
