// Snapshots that are written beside a run: whole, one at a time, and again after a failure.
#include "chamomile/core/system/free_memory.hpp"
#include "chamomile/run/files/snapshot_writer.hpp"
#include "snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("snapshot_writer");

TEST_CASE("what is written beside a run is the snapshot as it was handed over")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot(6 * 66001); // of each type two chunks, the second not full
    write_snapshot(snapshot, folder / "now.hdf5");
    SnapshotWriter writer;
    writer.write(snapshot, folder / "beside.hdf5");
    snapshot.particles.position[0].x += 1;
    writer.write(snapshot, folder / "moved.hdf5");
    CHECK(file_bytes(folder / "beside.hdf5") == file_bytes(folder / "now.hdf5"));
    writer.finish();
    check_same_particles(read_snapshot(folder / "moved.hdf5").particles, snapshot.particles, false);

    writer.write(snapshot, folder / "none/later.hdf5");
    CHECK_THROWS_AS(writer.finish(), Error);
    CHECK_THROWS_AS(writer.finish(), Error); // the folder is still missing
    std::filesystem::create_directories(folder / "none");
    CHECK_NOTHROW(writer.finish());
    CHECK(file_bytes(folder / "none/later.hdf5") == file_bytes(folder / "moved.hdf5"));
    CHECK(free_memory() > 1 << 20);
}

TEST_SUITE_END();
