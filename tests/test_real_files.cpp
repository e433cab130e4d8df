// Files that other programs wrote, where they are at hand.
#include "chamomile/io/summary.hpp"
#include "snapshot_fixture.hpp"
#include "tests/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("real_files");

namespace {

/// Whether the file is there; a test that needs it says so and ends where it is not.
bool at_hand(const std::filesystem::path& path)
{
    const bool exists = std::filesystem::exists(path);
    if (!exists)
        MESSAGE("skipped: no " << path.string());
    return exists;
}

const std::filesystem::path data = CHAMOMILE_SHARED_DATA;

} // namespace

TEST_CASE("the colliding galaxies of GADGET-2")
{
    const auto path = data / "galaxy_littleendian.dat";
    if (!at_hand(path))
        return;
    const Snapshot snapshot = read_snapshot(path);
    CHECK(snapshot.format ==
          "GADGET-2 binary, format 1, little endian, single precision, 4-byte ids");
    const SnapshotSummary summary = summarize(snapshot.particles);
    CHECK(summary.types[1].count == 40000);
    CHECK(summary.types[2].count == 20000);
    CHECK(summary.types[1].least_mass == within(1e-5, 0.00104634));
    CHECK(summary.types[2].most_mass == within(1e-4, 0.00023252));
    CHECK(summary.count == 60000);
    CHECK(snapshot.G() == within(1e-6, 43007.1));

    const TemporaryFolder folder;
    for (const char* name : {"a.hdf5", "a.gadget2", "a.txt"}) {
        write_snapshot(snapshot, folder / name);
        const Snapshot back = read_snapshot(folder / name);
        check_same_particles(snapshot.particles, back.particles, false);
        CHECK(back.units == snapshot.units);
    }
}

TEST_CASE("the King model of ChaNGa")
{
    const auto path = data / "king_soft.bin";
    if (!at_hand(path))
        return;
    const Snapshot snapshot = read_snapshot(path);
    CHECK(snapshot.format == "Tipsy, standard (big endian)");
    CHECK(summarize(snapshot.particles).types[1].count == 36000);
    REQUIRE(snapshot.softening.has_value());
    CHECK(snapshot.softening->kind == SofteningKind::spline);
    CHECK(snapshot.softening->length == within(1e-5, 0.145869));
    double kinetic = 0; // of the reference run's log, whose U needs the pairs
    for (std::size_t i = 0; i < snapshot.particles.size(); ++i)
        kinetic += 0.5 * snapshot.particles.mass[i] * norm_squared(snapshot.particles.velocity[i]);
    CHECK(kinetic == within(1e-6, 32.65580));

    const TemporaryFolder folder;
    write_snapshot(snapshot, folder / "a.tipsy");
    CHECK(has_bytes(folder / "a.tipsy", file_bytes(path)));
}

TEST_SUITE_END();
