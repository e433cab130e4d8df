// Every format returns the written data; files appear whole or not at all.
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/resource.h>

#include "chamomile/io/pending_file.hpp"
#include "chamomile/io/unchanged_file.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("snapshot");

namespace {

const char* const lossless[] = {"a.hdf5", "a.h5", "a.gadget2", "a.txt", "a.dat"};

} // namespace

TEST_CASE("snapshots keep all digits of particles, with and without forces")
{
    const TemporaryFolder folder;
    for (const char* name : lossless)
        for (bool with_forces : {false, true}) {
            CAPTURE(name);
            CAPTURE(with_forces);
            Snapshot snapshot = sample_snapshot();
            snapshot.has_accelerations = snapshot.has_potentials = with_forces;
            write_snapshot(snapshot, folder / name);
            const Snapshot back = read_snapshot(folder / name);
            check_same_particles(snapshot.particles, back.particles, with_forces);
            CHECK(back.has_accelerations == with_forces);
            CHECK(back.has_potentials == with_forces);
            CHECK(back.time == snapshot.time);
            CHECK(back.notes.empty());
        }
}

TEST_CASE("snapshots keep N-body units, kpc/h, kpc and a custom G")
{
    const TemporaryFolder folder;
    Units parsec = Units::gadget(false);
    parsec.length_in_cm /= 1000;
    for (const char* name : lossless)
        for (const Units& units : {Units{}, Units::gadget(true), Units::gadget(false), parsec})
            for (bool own_G : {false, true}) {
                CAPTURE(name);
                CAPTURE(units.description());
                Snapshot snapshot = sample_snapshot(7);
                snapshot.units = units;
                if (own_G)
                    snapshot.gravitational_constant = 4.5;
                write_snapshot(snapshot, folder / name);
                const Snapshot back = read_snapshot(folder / name);
                CHECK(back.units == units);
                CHECK(back.G() == snapshot.G());
                CHECK(back.gravitational_constant.has_value() == own_G);
            }
}

TEST_CASE("snapshots keep provenance, softening and box if the format allows")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot(7);
    snapshot.provenance = {{"command", "chamomile run --theta 0.6: 'x'"}, {"version", "0.1.0"}};
    snapshot.softening = Softening{SofteningKind::spline, 0.1};
    snapshot.box_size = 12.5;
    for (const char* name : {"a.hdf5", "a.txt"}) {
        write_snapshot(snapshot, folder / name);
        const Snapshot back = read_snapshot(folder / name);
        CHECK(back.provenance == snapshot.provenance);
        REQUIRE(back.softening.has_value());
        CHECK(back.softening->kind == SofteningKind::spline);
        CHECK(back.softening->length == 0.1);
        CHECK(back.box_size == 12.5);
    }
}

TEST_CASE("comoving velocities are u = v / sqrt(a) in files and peculiar in memory")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot(7);
    snapshot.units = Units::gadget(true);
    snapshot.comoving = ComovingFrame{0.25, 0.3, 0.7, 0.6};
    snapshot.time = 0.25;
    for (const char* name : {"a.hdf5", "a.gadget2"}) {
        CAPTURE(name);
        write_snapshot(snapshot, folder / name);
        const Snapshot back = read_snapshot(folder / name);
        REQUIRE(back.comoving.has_value());
        CHECK(back.comoving->scale_factor == 0.25);
        CHECK(back.comoving->omega_lambda == 0.7);
        CHECK(back.comoving->hubble == 0.6);
        check_same_particles(snapshot.particles, back.particles, false); // sqrt(a) is 1/2 exactly
    }
    // The file stores twice the velocity: here the first number in block VEL.
    const std::string bytes = file_bytes(folder / "a.gadget2");
    double u = 0;
    std::memcpy(&u, bytes.data() + 264 + 8 + 7 * 24 + 4, sizeof u);
    CHECK(u == 2 * snapshot.particles.velocity[0].x);
}

TEST_CASE("snapshots keep a background without Lambda, at redshift 0 and with another time")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot(7);
    snapshot.units = Units::gadget(true);
    for (const ComovingFrame& frame :
         {ComovingFrame{1, 1, 0, 0.7}, ComovingFrame{1, 0.3, 0, 0.7}, ComovingFrame{1, 0, 0, 0},
          ComovingFrame{0.25, 0.3, 0.7, 0.6}})
        for (double time : {frame.scale_factor, 7.0})
            for (const char* name : lossless) {
                CAPTURE(name);
                CAPTURE(time);
                snapshot.comoving = frame;
                snapshot.time = time;
                write_snapshot(snapshot, folder / name);
                const Snapshot back = read_snapshot(folder / name);
                REQUIRE(back.comoving.has_value());
                CHECK(back.comoving->scale_factor == frame.scale_factor);
                CHECK(back.comoving->omega_matter == frame.omega_matter);
                CHECK(back.time == time);
                check_same_particles(snapshot.particles, back.particles, false);
            }
}

TEST_CASE("the content decides the format, never the name")
{
    const TemporaryFolder folder;
    for (const char* name : {"a.hdf5", "a.gadget2", "a.tipsy", "a.txt"}) {
        write_snapshot(sample_snapshot(7), folder / name);
        for (const char* wrong : {"b.txt", "b.hdf5", "b"}) {
            std::filesystem::copy_file(folder / name, folder / wrong,
                                       std::filesystem::copy_options::overwrite_existing);
            CHECK(read_snapshot(folder / wrong).format == read_snapshot(folder / name).format);
        }
    }
}

TEST_CASE("empty snapshots can be written and read")
{
    const TemporaryFolder folder;
    for (const char* name : {"a.hdf5", "a.gadget2", "a.tipsy", "a.txt"}) {
        CAPTURE(name);
        write_snapshot(Snapshot{}, folder / name);
        CHECK(read_snapshot(folder / name).particles.size() == 0);
    }
}

TEST_CASE("equal snapshots give equal bytes")
{
    const TemporaryFolder folder;
    for (const char* name : {"a.hdf5", "a.gadget2", "a.tipsy", "a.txt"}) {
        write_snapshot(sample_snapshot(), folder / name);
        const std::string first = file_bytes(folder / name);
        if (contains(name, "hdf5")) // timestamps in the file, if any, would count whole seconds
            std::this_thread::sleep_for(std::chrono::milliseconds(1100));
        write_snapshot(sample_snapshot(), folder / name);
        CHECK(has_bytes(folder / name, first));
        std::filesystem::remove(folder / name);
        CHECK(std::filesystem::is_empty(folder.path())); // no temporary files left
    }
}

TEST_CASE("invalid snapshots are refused with an error line")
{
    const TemporaryFolder folder;
    CHECK(contains(reading_error(folder / "missing"), "No such file"));
    CHECK(contains(reading_error(folder.path()), "a folder"));
    make_file(folder / "empty", "");
    CHECK(contains(reading_error(folder / "empty"), "0 bytes"));
    make_file(folder / "noise", std::string("\x01\x02\x03\x04\x05\x06\x07\x00zz", 10));
    CHECK(contains(reading_error(folder / "noise"), "unknown"));
    CHECK(contains(reading_error("/dev/zero"), "not a regular file"));
    make_file(folder / "garbage.hdf5", "garbage\n");
    CHECK(contains(
        reading_error(folder / "garbage.hdf5"),
        "garbage.hdf5: format: not HDF5, despite the name: not text columns either: line 1"));
}

TEST_CASE("long names are shortened in error lines")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot(7);
    snapshot.provenance[std::string(70000, 'x')] = "y";
    try {
        write_snapshot(snapshot, folder / "a.hdf5");
        FAIL_CHECK("a snapshot with a name of 70000 characters was written");
    } catch (const Error& error) {
        CHECK(std::string(error.what()).size() < 1000);
    }
}

TEST_CASE("an unknown extension is a usage error and writes no file")
{
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(write_snapshot(sample_snapshot(7), folder / "a.fits"),
                         doctest::Contains(".fits"), Error);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a failed write keeps the old file and leaves no temporary file")
{
    const TemporaryFolder folder;
    CHECK_THROWS_AS(write_snapshot(sample_snapshot(7), folder / "none/a.hdf5"), Error);
    rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    for (const char* name : {"a.hdf5", "a.gadget2", "a.tipsy", "a.txt"}) {
        CAPTURE(name);
        write_snapshot(sample_snapshot(7), folder / name);
        const std::string old = file_bytes(folder / name);
        const rlimit small{20000, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        try {
            write_snapshot(sample_snapshot(), folder / name);
            FAIL_CHECK("a file larger than the size limit was written");
        } catch (const Error& error) {
            CHECK(error.fault() == Fault::output);
            CHECK(contains(error.what(), "File too large"));
        }
        setrlimit(RLIMIT_FSIZE, &before);
        CHECK(has_bytes(folder / name, old));
        std::filesystem::remove(folder / name);
    }
    std::signal(SIGXFSZ, handler);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a file made by another program during a write stays, beside the temporary file")
{
    const TemporaryFolder folder;
    std::filesystem::path temporary;
    {
        PendingFile mine(folder / "a.txt");
        temporary = mine.temporary();
        mine.write_value(char('m'));
        std::ofstream(folder / "a.txt") << 'o';
        CHECK_THROWS_WITH_AS(mine.commit(), doctest::Contains(temporary.c_str()), Error);
    }
    CHECK(has_bytes(folder / "a.txt", "o"));
    CHECK(has_bytes(temporary, "m"));
    PendingFile second(folder / "a.txt"); // existed before
    second.write_value(char('s'));
    second.commit();
    CHECK(has_bytes(folder / "a.txt", "s"));
}

TEST_CASE("an incomplete snapshot is not written")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot(7);
    snapshot.particles.velocity.pop_back();
    CHECK_THROWS_AS(write_snapshot(snapshot, folder / "a.txt"), Error);
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a file modified during reading is refused")
{
    const TemporaryFolder folder;
    for (const char* name : {"a.txt", "a.hdf5", "a.gadget2", "a.tipsy"}) {
        CAPTURE(name);
        const std::filesystem::path path = folder / name;
        write_snapshot(sample_snapshot(20000), path);
        CHECK_NOTHROW(read_snapshot(path));
        std::atomic<int> written = 0;
        std::atomic<bool> done = false;
        std::thread writer([&] {
            while (!done) {
                std::ofstream(path, std::ios::app) << '\n';
                ++written;
            }
        });
        while (written < 10)
            std::this_thread::yield();
        std::string error; // of the last of many lines: enough time may pass to read it all
        for (int k = 0; k < 1000 && error.empty(); ++k)
            try {
                read_snapshot(path);
            } catch (const Error& refused) {
                error = refused.what();
            }
        // Tipsy and other readers may first detect a size different from the header's.
        CHECK(contains(error, "size"));
        done = true;
        writer.join();
        const UnchangedFile same(path);
        CHECK_NOTHROW(same.check());
        std::ofstream(path, std::ios::app) << '\n';
        CHECK_THROWS_WITH_AS(same.check(), doctest::Contains("changed while being read"), Error);
        const UnchangedFile gone(path);
        std::filesystem::remove(path);
        CHECK_THROWS_AS(gone.check(), Error);
    }
}

TEST_SUITE_END();
