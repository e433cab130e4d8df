// HDF5 snapshots written in pieces with a master of virtual data sets.
#include <cmath>
#include <deque>

#include "chamomile/io/hdf5/handle.hpp"
#include "chamomile/io/pending_file.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/rows_in_blocks.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("pieces");

namespace {

Snapshot full_snapshot(std::size_t n)
{
    Snapshot snapshot = sample_snapshot(n);
    snapshot.has_accelerations = snapshot.has_potentials = true;
    snapshot.softening = Softening{SofteningKind::plummer, 0.25};
    Scatter scatter;
    Particles& particles = snapshot.particles;
    for (std::size_t i = 0; i < n; ++i) {
        particles.softening.push_back(2 + scatter());
        particles.extra["age"].push_back(scatter());
    }
    return snapshot;
}

/// Checks that both snapshots have the same rows in the same order.
void check_equal_rows(const Snapshot& a, const Snapshot& b)
{
    const Particles &p = a.particles, &q = b.particles;
    CHECK(p.id == q.id);
    CHECK(p.type == q.type);
    CHECK(p.mass == q.mass);
    CHECK(p.position == q.position);
    CHECK(p.velocity == q.velocity);
    CHECK(p.acceleration == q.acceleration);
    CHECK(p.potential == q.potential);
    CHECK(p.softening == q.softening);
    CHECK(p.extra == q.extra);
    CHECK(a.time == b.time);
    CHECK(a.units == b.units);
}

std::string piece_of(int number)
{
    return "a." + std::to_string(number) + ".hdf5";
}

Hdf5Handle opened(const std::filesystem::path& path)
{
    return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
}

/// Reads all numbers of a data set by the library itself, as other programs do.
std::vector<double> data_in(const std::filesystem::path& path, const char* name)
{
    const Hdf5Handle file = opened(path);
    const Hdf5Handle data(H5Dopen2(file.id(), name, H5P_DEFAULT), H5Dclose);
    const Hdf5Handle space(H5Dget_space(data.id()), H5Sclose);
    std::vector<double> values(std::size_t(H5Sget_simple_extent_npoints(space.id())));
    REQUIRE(H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >=
            0);
    return values;
}

/// Returns an attribute of the header; its numbers must have `bytes` bytes.
std::vector<std::uint64_t> header_of(const std::filesystem::path& path, const char* name,
                                     std::size_t bytes)
{
    const Hdf5Handle file = opened(path);
    const Hdf5Handle attribute(H5Aopen_by_name(file.id(), "Header", name, H5P_DEFAULT, H5P_DEFAULT),
                               H5Aclose);
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
    CHECK(H5Tget_size(type.id()) == bytes);
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
    std::vector<std::uint64_t> values(std::size_t(H5Sget_simple_extent_npoints(space.id())));
    REQUIRE(H5Aread(attribute.id(), H5T_NATIVE_UINT64, values.data()) >= 0);
    return values;
}

std::size_t files_in(const TemporaryFolder& folder)
{
    using Files = std::filesystem::directory_iterator;
    return std::size_t(std::distance(Files(folder.path()), Files()));
}

} // namespace

TEST_CASE("any piece and the master read as the snapshot in one file")
{
    const std::size_t several_chunks = 6 * 66001;
    for (const std::size_t n : {std::size_t(1), std::size_t(4), std::size_t(597), several_chunks})
        for (const int pieces : {1, 2, 3, 7}) {
            if (n == several_chunks && pieces != 2)
                continue;
            CAPTURE(n);
            CAPTURE(pieces);
            const TemporaryFolder folder;
            const Snapshot snapshot = full_snapshot(n);
            write_snapshot(snapshot, folder / "one.hdf5");
            write_snapshot(snapshot, folder / "a.hdf5", pieces);
            CHECK(files_in(folder) == std::size_t(pieces == 1 ? 2 : pieces + 2));
            const Snapshot one = read_snapshot(folder / "one.hdf5");
            check_equal_rows(read_snapshot(folder / "a.hdf5"), one);
            if (pieces == 1)
                CHECK(file_bytes(folder / "a.hdf5") == file_bytes(folder / "one.hdf5"));
            else
                check_equal_rows(read_snapshot(folder / piece_of(pieces - 1)), one);
        }
}

TEST_CASE("pieces hold nearly equal runs of each type, with totals of 64 bits")
{
    const TemporaryFolder folder;
    const std::size_t n = 6 * 100 + 5;
    const Snapshot snapshot = full_snapshot(n);
    write_snapshot(snapshot, folder / "a.hdf5", 7);
    std::vector<std::uint64_t> totals(6), found(6);
    for (const std::uint8_t type : snapshot.particles.type)
        ++totals[type];
    for (int k = 0; k < 7; ++k) {
        const auto path = folder / piece_of(k);
        const auto here = header_of(path, "NumPart_ThisFile", 8);
        CHECK(header_of(path, "NumPart_Total", 8) == totals);
        CHECK(header_of(path, "NumPart_Total_HighWord", 4) == std::vector<std::uint64_t>(6));
        CHECK(header_of(path, "NumFilesPerSnapshot", 4).front() == 7);
        for (std::size_t type = 0; type < 6; ++type) {
            found[type] += here[type];
            CHECK(here[type] >= totals[type] / 7);
            CHECK(here[type] <= totals[type] / 7 + 1);
        }
    }
    CHECK(found == totals);
    CHECK(header_of(folder / "a.hdf5", "NumPart_ThisFile", 8) == totals);
    CHECK(header_of(folder / "a.hdf5", "NumPart_Total", 8) == totals);
    CHECK(header_of(folder / "a.hdf5", "NumFilesPerSnapshot", 4).front() == 1);
}

TEST_CASE("the master opens as a whole in other programs, in any folder and under any name")
{
    const TemporaryFolder folder;
    const Snapshot snapshot = full_snapshot(4000);
    write_snapshot(snapshot, folder / "one.hdf5");
    std::filesystem::create_directories(folder / "made");
    write_snapshot(snapshot, folder / "made/100%b.x.hdf5", 3);
    std::filesystem::rename(folder / "made", folder / "moved");
    const auto master = folder / "moved/100%b.x.hdf5";
    for (const char* data : {"PartType0/Coordinates", "PartType3/Velocities", "PartType5/Masses",
                             "PartType1/ParticleIDs", "PartType2/age", "PartType4/Potential",
                             "PartType4/Acceleration", "PartType0/SofteningLength"})
        CHECK(data_in(master, data) == data_in(folder / "one.hdf5", data));
    check_equal_rows(read_snapshot(master), read_snapshot(folder / "one.hdf5"));
    std::filesystem::remove(folder / "moved/100%b.x.1.hdf5");
    const auto masses = data_in(master, "PartType5/Masses");
    CHECK(std::ranges::count_if(masses, [](double mass) { return std::isnan(mass); }) == 222);
    CHECK(contains(reading_error(master), "100%b.x.1.hdf5: file: missing"));
}

TEST_CASE("pieces written from blocks of rows and from memory have equal bytes")
{
    const TemporaryFolder folder;
    const Snapshot snapshot = full_snapshot(6 * 66001);
    Snapshot rest = snapshot;
    rest.particles = without_motion(snapshot.particles);
    rest.particles.id = {};
    RowsInBlocks rows(snapshot.particles, 1000);
    std::filesystem::create_directories(folder / "blocks");
    write_snapshot(snapshot, folder / "a.hdf5", 3);
    write_snapshot(rest, rows, folder / "blocks/a.hdf5", 3);
    for (const std::string& name : {piece_of(0), piece_of(1), piece_of(2), std::string("a.hdf5")})
        CHECK(file_bytes(folder / name) == file_bytes(folder / ("blocks/" + name)));
}

TEST_CASE("a comoving snapshot in pieces keeps its frame")
{
    const TemporaryFolder folder;
    Snapshot snapshot = full_snapshot(300);
    snapshot.units = Units::gadget(true);
    snapshot.comoving = ComovingFrame{0.5, 0.3, 0.7, 0.7};
    snapshot.time = 0.5;
    snapshot.box_size = 1e5;
    write_snapshot(snapshot, folder / "one.hdf5");
    write_snapshot(snapshot, folder / "a.hdf5", 2);
    const Snapshot whole = read_snapshot(folder / "a.hdf5");
    REQUIRE(whole.comoving.has_value());
    CHECK(whole.box_size == 1e5);
    check_equal_rows(whole, read_snapshot(folder / "one.hdf5"));
}

TEST_CASE("pieces that cannot be written leave no new names")
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / piece_of(2));
    const Snapshot snapshot = full_snapshot(100);
    const std::string line =
        error_line([&] { write_snapshot(snapshot, folder / "a.hdf5", 4); }, Fault::output);
    CHECK(contains(line, "a.2.hdf5: file: a folder"));
    CHECK(files_in(folder) == 1);
    std::filesystem::remove(folder / piece_of(2));

    // Another program takes a name while the pieces are written.
    std::deque<PendingFile> files;
    for (const char* name : {"x.0", "x.1", "x.2"})
        files.emplace_back(folder / name);
    make_file(folder / "x.1", "other");
    CHECK(contains(error_line([&] { commit_together(files); }, Fault::output),
                   "written by another program"));
    CHECK(!std::filesystem::exists(folder / "x.0"));
    CHECK(!std::filesystem::exists(folder / "x.2"));
    CHECK(has_bytes(folder / "x.1", "other"));
    files.clear();
    make_file(folder / "x.2", "older");
    for (const char* name : {"x.0", "x.1", "x.2"})
        files.emplace_back(folder / name);
    make_file(folder / "x.0", "other");
    CHECK_THROWS_AS(commit_together(files), Error);
    CHECK(has_bytes(folder / "x.0", "other"));
    CHECK(!std::filesystem::exists(folder / "x.1"));
    CHECK(!std::filesystem::exists(folder / "x.2"));

    CHECK(contains(
        error_line([&] { write_snapshot(snapshot, folder / "a.gadget2", 3); }, Fault::usage),
        "must be 1: only .hdf5 and .h5"));
}

TEST_CASE("a master whose pieces are of another snapshot is refused")
{
    const TemporaryFolder folder;
    write_snapshot(full_snapshot(100), folder / "a.hdf5", 2);
    std::filesystem::copy_file(folder / "a.hdf5", folder / "b.hdf5");
    CHECK(contains(reading_error(folder / "b.hdf5"), "b.0.hdf5: file: missing"));
    write_snapshot(full_snapshot(101), folder / "b2.hdf5", 2);
    for (const char* number : {".0", ".1"})
        std::filesystem::rename(folder / ("b2" + std::string(number) + ".hdf5"),
                                folder / ("b" + std::string(number) + ".hdf5"));
    CHECK(contains(reading_error(folder / "b.hdf5"), "b.hdf5: total number of particles of type"));
    Snapshot later = full_snapshot(100);
    later.time = 7;
    write_snapshot(later, folder / "c.hdf5", 2);
    std::filesystem::rename(folder / "c.1.hdf5", folder / "a.1.hdf5");
    CHECK(contains(reading_error(folder / "a.hdf5"), "must be equal to the other pieces"));
    // Without the mark of a master virtual data sets may name any file.
    {
        const Hdf5Handle file(H5Fopen((folder / "c.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                              H5Fclose);
        H5Adelete_by_name(file.id(), "Chamomile", "pieces", H5P_DEFAULT);
    }
    CHECK(contains(reading_error(folder / "c.hdf5"), "a virtual data set: must be in this file"));
}

TEST_SUITE_END();
