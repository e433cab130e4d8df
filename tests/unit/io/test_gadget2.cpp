// GADGET-2 binary files built byte by byte, in all variants and with all faults.
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("gadget2");

namespace {

/// Differences between the files.
struct Variant {
    int format = 1;
    ByteOrder order = ByteOrder::host;
    int real_bytes = 4, id_bytes = 4;
    int types_in_block = 0; ///< types with masses in block MASS: none, the disk, both
    int pieces = 1;
};

constexpr std::uint32_t halo = 5, disk = 4; ///< particles of types 1 and 2 per piece
constexpr std::uint32_t count = halo + disk;

double mass_of(const Variant& variant, std::uint64_t id)
{
    const std::uint64_t k = (id - 1) % count;
    if (variant.types_in_block >= (k < halo ? 2 : 1))
        return 0.25 + double(k);
    return k < halo ? 0.5 : 0.125;
}

double component(std::uint64_t id, int axis)
{
    return double(id) + 0.25 * axis; // exact in single precision
}

void add_real(Bytes& bytes, const Variant& variant, double value)
{
    if (variant.real_bytes == 4)
        bytes.add(float(value));
    else
        bytes.add(value);
}

std::string gadget_file(const Variant& variant, int piece = 0)
{
    Bytes header(variant.order), positions(variant.order), velocities(variant.order),
        ids(variant.order), masses(variant.order);
    const std::uint32_t counts[6] = {0, halo, disk, 0, 0, 0};
    for (std::uint32_t n : counts)
        header.add(n);
    for (int type = 0; type < 6; ++type)
        header.add(type == 1 && variant.types_in_block < 2   ? 0.5
                   : type == 2 && variant.types_in_block < 1 ? 0.125
                                                             : 0.0);
    header.add(1.5).add(0.0).add(std::int32_t(0)).add(std::int32_t(0));
    for (std::uint32_t n : counts)
        header.add(n * std::uint32_t(variant.pieces));
    header.add(std::int32_t(0)).add(std::int32_t(variant.pieces));
    header.add_text(std::string(256 - header.text().size(), '\0'));

    for (std::uint32_t k = 0; k < count; ++k) {
        const std::uint64_t id = 1 + k + std::uint64_t(piece) * count;
        for (int axis = 0; axis < 3; ++axis) {
            add_real(positions, variant, component(id, axis));
            add_real(velocities, variant, -component(id, axis));
        }
        if (variant.id_bytes == 4)
            ids.add(std::uint32_t(id));
        else
            ids.add(id);
        if (variant.types_in_block >= (k < halo ? 2 : 1))
            add_real(masses, variant, mass_of(variant, id));
    }
    Bytes file(variant.order);
    const auto add_block = [&](const std::string& label, const Bytes& data) {
        if (variant.format == 2) {
            Bytes name(variant.order);
            name.add_text(label).add(std::uint32_t(data.text().size() + 8));
            file.add_record(name);
        }
        file.add_record(data);
    };
    add_block("HEAD", header);
    add_block("POS ", positions);
    add_block("VEL ", velocities);
    add_block("ID  ", ids);
    if (variant.types_in_block > 0)
        add_block("MASS", masses);
    return file.text();
}

/// The file with four bytes at the offset replaced.
std::string patched(std::string bytes, std::size_t offset, std::uint32_t value)
{
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

std::string patched(std::string bytes, std::size_t offset, double value)
{
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

} // namespace

TEST_CASE("readers accept both formats, byte orders and precisions, mass tables and pieces")
{
    const TemporaryFolder folder;
    for (int format : {1, 2})
        for (ByteOrder order : {ByteOrder::host, ByteOrder::swapped})
            for (int real_bytes : {4, 8})
                for (int id_bytes : {4, 8})
                    for (int types_in_block : {0, 1, 2})
                        for (int pieces : {1, 3}) {
                            const Variant variant{format,   order,          real_bytes,
                                                  id_bytes, types_in_block, pieces};
                            for (int piece = 0; piece < pieces; ++piece)
                                make_file(folder / ("ic." + std::to_string(piece)),
                                          gadget_file(variant, piece));
                            const Snapshot snapshot = read_snapshot(folder / "ic.0");
                            CAPTURE(snapshot.format);
                            const Particles& particles = snapshot.particles;
                            REQUIRE(particles.size() == count * std::size_t(pieces));
                            CHECK(snapshot.time == 1.5);
                            CHECK(snapshot.units == Units::gadget(true));
                            CHECK(snapshot.notes.size() == 1);
                            std::size_t wrong = 0;
                            for (std::size_t i = 0; i < particles.size(); ++i) {
                                const std::uint64_t id = i + 1;
                                const Vec3<double> x{component(id, 0), component(id, 1),
                                                     component(id, 2)};
                                const bool right =
                                    particles.id[i] == id &&
                                    particles.type[i] == (i % count < halo ? 1 : 2) &&
                                    particles.position[i] == x &&
                                    particles.velocity[i] == -1.0 * x &&
                                    particles.mass[i] == mass_of(variant, id);
                                wrong += right ? 0 : 1;
                            }
                            CHECK(wrong == 0);
                        }
}

TEST_CASE("truncated files are refused at any length")
{
    const TemporaryFolder folder;
    for (int format : {1, 2}) {
        const std::string whole = gadget_file({.format = format, .types_in_block = 1});
        for (std::size_t size = 1; size < whole.size(); ++size) {
            make_file(folder / "cut", whole.substr(0, size));
            CHECK(!reading_error(folder / "cut").empty());
        }
    }
}

TEST_CASE("headers contradicting the file are refused before any allocation")
{
    const TemporaryFolder folder;
    const std::string good = gadget_file({});
    const auto error_of = [&](const std::string& bytes) {
        make_file(folder / "bad", bytes);
        return reading_error(folder / "bad");
    };
    CHECK(contains(error_of(patched(good, 4 + 4, 4000000000u)), "block POS : 108 bytes"));
    CHECK(contains(error_of(patched(good, 4, 0xffffffffu)), "4294967"));   // gas
    CHECK(contains(error_of(patched(good, 4 + 100, 6u)), "total number")); // npartTotal
    CHECK(contains(error_of(patched(good, 4 + 124, 1000000u)), "number of files"));
    CHECK(contains(error_of(patched(good, 4 + 124, 3u)), "name.0.hdf5")); // no number in the name
    CHECK(contains(error_of(patched(good, 4 + 24 + 8, -1.0)), "mass of type 1")); // table
    CHECK(contains(error_of(patched(good, 4 + 24 + 16, 0.0)), "block MASS: missing"));
    CHECK(contains(error_of(patched(good, 4 + 80, -1.0)), "redshift"));
    CHECK(contains(error_of(patched(good, 260, 255u)), "256 and 255")); // count after
    CHECK(contains(error_of(patched(good, 264, 0xfffffff0u)), "truncated"));
    std::string nan = gadget_file({.real_bytes = 8});
    CHECK(contains(error_of(patched(nan, 268 + 24 * 2 + 8, double(NAN))),
                   "particle 2 (id 3), position y: nan"));
}

TEST_CASE("repeated, resized and trailing blocks are refused or noted")
{
    const TemporaryFolder folder;
    const auto record = [](const std::string& data) {
        return Bytes().add_record(Bytes().add_text(data)).text();
    };
    const auto labelled = [&](const std::string& label, const std::string& data) {
        return record(Bytes().add_text(label).add(std::uint32_t(data.size() + 8)).text()) +
               record(data);
    };
    const auto error_of = [&](const std::string& bytes) {
        make_file(folder / "bad", bytes);
        return reading_error(folder / "bad");
    };
    const auto notes_of = [&](const std::string& bytes) {
        make_file(folder / "good", bytes);
        std::string notes;
        for (const std::string& note : read_snapshot(folder / "good").notes)
            notes += note + "; ";
        return notes;
    };
    const std::string first = gadget_file({}), second = gadget_file({.format = 2});
    CHECK(contains(error_of(second + labelled("POS ", std::string(count * 12, 'x'))),
                   "block POS : again at offset"));
    CHECK(contains(notes_of(second + labelled("MASS", std::string(count * 4, 'x'))),
                   "masses of a type in both header and block MASS: uses the header"));
    CHECK(contains(notes_of(patched(second, 16 + 264 + 8, 7u)), "block POS : label states"));
    CHECK_FALSE(contains(notes_of(second + labelled("U   ", "x")), "block"));
    CHECK_FALSE(contains(notes_of(first + record("gas, which format 1 does not name")), "block"));
    CHECK(contains(error_of(first + "junk behind the blocks"),
                   "followed by data that is not a record"));
}

TEST_CASE("header values obey the ranges of options")
{
    const TemporaryFolder folder;
    make_file(folder / "a", gadget_file({}));
    write_snapshot(read_snapshot(folder / "a"), folder / "own.gadget2"); // with units and G
    const std::string own = file_bytes(folder / "own.gadget2");
    const auto error_of = [&](std::size_t offset, double value) {
        make_file(folder / "bad", patched(own, 4 + offset, value));
        return reading_error(folder / "bad");
    };
    CHECK(
        contains(error_of(128, 1e300), "box size: 1e+300: must be a number from 1e-100 to 1e+100"));
    CHECK(contains(error_of(128, NAN), "box size: nan: must be a finite number"));
    CHECK(contains(error_of(216, -1.0), "unit of length: -1: must be a number > 0"));
    CHECK(contains(error_of(240, 0.0), "G: 0: must be a number > 0"));
    CHECK(contains(error_of(240, -1.0), "G: -1: must be a number > 0"));
}

TEST_CASE("multi-file snapshots must be complete and consistent")
{
    const TemporaryFolder folder;
    const Variant variant{.pieces = 2};
    make_file(folder / "ic.0", gadget_file(variant, 0));
    CHECK(contains(reading_error(folder / "ic.0"), "ic.1: file: missing"));
    make_file(folder / "ic.1", gadget_file(variant, 0));
    CHECK(contains(reading_error(folder / "ic.0"), "must be unique"));
    make_file(folder / "ic.1", patched(gadget_file(variant, 1), 4 + 72, 2.5));
    CHECK(contains(reading_error(folder / "ic.0"), "must be equal to the other pieces"));
    make_file(folder / "ic.1", patched(gadget_file(variant, 1), 4 + 128, 2.5));
    CHECK(contains(reading_error(folder / "ic.0"),
                   "ic.1: box size: 2.5: must be equal to the first piece"));
    make_file(folder / "ic.1", patched(gadget_file(variant, 1), 4 + 100, 11u));
    CHECK(contains(reading_error(folder / "ic.0"),
                   "ic.1: total number of particles of type 1: 11: must be 10, the number in the "
                   "file or all pieces"));
    make_file(folder / "ic.1", gadget_file(variant, 1));
    CHECK(read_snapshot(folder / "ic.1").particles.size() == 2 * count);
}

TEST_CASE("readers ignore invalid high words of total counts with a note")
{
    const TemporaryFolder folder;
    for (int pieces : {1, 2}) {
        for (int k = 0; k < pieces; ++k)
            make_file(
                folder / ("ic." + std::to_string(k)),
                patched(gadget_file({.pieces = pieces}, k), 4 + 172 + 4 * std::size_t(k), 228u));
        const Snapshot snapshot = read_snapshot(folder / "ic.0");
        CHECK(snapshot.particles.size() == count * std::size_t(pieces));
        REQUIRE(snapshot.notes.size() == std::size_t(1 + pieces));
        CHECK(snapshot.notes.front() ==
              "total number of particles of type 1: ignores the high word 228: " +
                  std::to_string(halo * std::uint32_t(pieces)) + " are in the file or all pieces");
    }
    make_file(folder / "ic.0", patched(patched(gadget_file({}), 4 + 172, 228u), 4 + 100, 6u));
    CHECK(contains(reading_error(folder / "ic.0"),
                   "total number of particles of type 1: 979252543494: must be 5, the number in "
                   "the file or all pieces"));
}

TEST_CASE("a missing ID block gives ids 1 to N; a missing VEL block is refused")
{
    const TemporaryFolder folder;
    const std::string whole = gadget_file({.format = 2, .types_in_block = 2});
    const auto without = [&](const std::string& label, std::size_t bytes) {
        std::string text = whole;
        return text.erase(text.find(label) - 4, bytes + 8 + 16);
    };
    make_file(folder / "a", without("ID  ", 4 * count));
    const Snapshot snapshot = read_snapshot(folder / "a");
    CHECK(snapshot.particles.id.front() == 1);
    CHECK(snapshot.particles.id.back() == count);
    CHECK(contains(snapshot.format, "no ids"));
    CHECK(contains(snapshot.notes.front(), "no block ID: ids are 1 to N"));
    make_file(folder / "a", without("VEL ", 12 * count));
    CHECK(contains(reading_error(folder / "a"), "block VEL : missing"));
}

TEST_CASE("an isolated file with h = 1 is in kpc")
{
    const TemporaryFolder folder;
    const std::size_t hubble = 4 + 152;
    make_file(folder / "a", patched(gadget_file({}), hubble, 1.0));
    CHECK(read_snapshot(folder / "a").units == Units::gadget(false));
    make_file(folder / "a", patched(gadget_file({}), hubble, 0.7));
    CHECK(read_snapshot(folder / "a").units == Units::gadget(true));
}

TEST_CASE("comoving velocities in single precision survive a round trip")
{
    const TemporaryFolder folder;
    std::string text = gadget_file({});
    for (const auto& [offset, value] : {std::pair{72, 0.03},
                                        {80, 1 / 0.03 - 1},
                                        {128, 500.0},
                                        {136, 0.3},
                                        {144, 0.7},
                                        {152, 0.7}})
        text = patched(text, 4 + std::size_t(offset), value);
    for (std::size_t k = 0; k < 3 * count; ++k) { // 1/3, 2/3, ... behind header and positions
        const float u = float(double(k + 1) / 3);
        std::memcpy(text.data() + 264 + 8 + 12 * count + 4 + 4 * k, &u, sizeof u);
    }
    make_file(folder / "a", text);
    const Snapshot snapshot = read_snapshot(folder / "a");
    CHECK(snapshot.comoving.has_value());
    write_snapshot(snapshot, folder / "b.gadget2");
    CHECK(read_snapshot(folder / "b.gadget2").format == snapshot.format);
    CHECK(file_bytes(folder / "b.gadget2").substr(264) == text.substr(264));
}

TEST_CASE("writers keep single precision without loss and put masses in the header")
{
    const TemporaryFolder folder;
    make_file(folder / "a", gadget_file({}));
    const Snapshot snapshot = read_snapshot(folder / "a");
    write_snapshot(snapshot, folder / "b.gadget2");
    CHECK(std::filesystem::file_size(folder / "b.gadget2") ==
          std::filesystem::file_size(folder / "a"));
    CHECK(read_snapshot(folder / "b.gadget2").format == snapshot.format);
}

TEST_SUITE_END();
