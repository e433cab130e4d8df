// Particles with motion columns left in their file: blocks equal the whole file, and errors use the
// same words.
#include <fstream>
#include <limits>
#include <memory>

#include <doctest/doctest.h>

#include "chamomile/initial/transform.hpp"
#include "chamomile/integrate/suggested_softening.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/particle_notes.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("file_rows");

namespace {

/// More than one block, and not a multiple.
constexpr std::size_t several_blocks = 2 * rows_of_block + 31657;

/// Returns the particles with deferred columns read block by block.
Particles gathered(const Snapshot& snapshot)
{
    Particles all = snapshot.particles;
    const std::shared_ptr<ParticleReader> rows = rows_of(snapshot);
    const auto take = [&](auto& into, const auto& block) {
        into.insert(into.end(), block.begin(), block.end());
    };
    rows->for_blocks(all.size(), [&](std::size_t begin, std::size_t end) {
        take(all.position, rows->read_vectors(Column::position, {begin, end}));
        take(all.velocity, rows->read_vectors(Column::velocity, {begin, end}));
        take(all.acceleration, rows->read_vectors(Column::acceleration, {begin, end}));
        take(all.potential, rows->read_scalars(Column::potential, {begin, end}));
    });
    return all;
}

bool are_same(const Particles& a, const Particles& b)
{
    return a.id == b.id && a.type == b.type && a.mass == b.mass && a.position == b.position &&
           a.velocity == b.velocity && a.acceleration == b.acceleration &&
           a.potential == b.potential;
}

} // namespace

TEST_CASE("file blocks equal the whole file, also in converted units")
{
    const TemporaryFolder folder;
    Snapshot made = sample_snapshot(several_blocks);
    made.has_accelerations = made.has_potentials = true;
    made.units = Units::gadget(false);
    Units other = made.units;
    other.length_in_cm /= 1000;
    other.velocity_in_cm_per_s *= 7;
    for (const char* name : {"a.hdf5", "a.gadget2"}) {
        CAPTURE(name);
        write_snapshot(made, folder / name);
        Snapshot whole = read_snapshot(folder / name), open = open_snapshot(folder / name);
        CHECK(!whole.deferred);
        REQUIRE(open.deferred);
        CHECK(open.particles.position.capacity() == 0);
        CHECK(are_same(gathered(open), whole.particles));
        for (Snapshot* each : {&whole, &open})
            convert_units(*each, other, "test");
        CHECK(are_same(gathered(open), whole.particles));
        load_deferred(open);
        CHECK(!open.deferred);
        CHECK(are_same(open.particles, whole.particles));
    }
    write_snapshot(sample_snapshot(5), folder / "a.txt"); // read as a whole
    CHECK(!open_snapshot(folder / "a.txt").deferred);
}

TEST_CASE("blocks of comoving files contain peculiar velocities, or momenta and wrapped positions")
{
    const TemporaryFolder folder;
    Snapshot made = sample_snapshot(300);
    made.has_accelerations = made.has_potentials = true;
    made.units = Units::gadget(true);
    made.comoving = ComovingFrame{0.5, 0.3, 0.7, 0.7};
    made.time = 0.5;
    made.box_size = 1e5;
    for (const char* name : {"a.hdf5", "a.gadget2"}) {
        CAPTURE(name);
        write_snapshot(made, folder / name);
        Snapshot whole = read_snapshot(folder / name), open = open_snapshot(folder / name);
        CHECK(are_same(gathered(open), whole.particles));
        CHECK(suggested_softening(open.particles, *rows_of(open)) ==
              suggested_softening(whole.particles, *rows_of(whole)));
        for (Snapshot* each : {&whole, &open}) {
            each->box_size = 300;
            CHECK(outside(*each, each->box_size).particles > 0);
            make_canonical(*each);
            CHECK(outside(*each, each->box_size).particles == 0);
        }
        CHECK(are_same(gathered(open), whole.particles));
    }
}

TEST_CASE("bounds stay known if all positions are inside the box")
{
    const TemporaryFolder folder;
    Snapshot made = sample_snapshot(300);
    for (Vec3<double>& x : made.particles.position)
        x += Vec3<double>{5000, 5000, 5000};
    write_snapshot(made, folder / "a.hdf5");
    for (const double side : {1e4, 4000.}) {
        const Snapshot open = open_snapshot(folder / "a.hdf5");
        const Box known = open.deferred->bounds().value();
        open.deferred->wrap({side});
        const std::optional<Box> kept = open.deferred->bounds();
        REQUIRE(kept.has_value() == (side == 1e4));
        if (kept)
            CHECK((kept->low == known.low && kept->high == known.high));
    }
}

TEST_CASE("joined snapshots leave their particles in both files")
{
    const TemporaryFolder folder;
    Snapshot made = sample_snapshot(300), other = sample_snapshot(several_blocks);
    made.has_accelerations = made.has_potentials = true;
    made.units = other.units = Units::gadget(false);
    other.units.length_in_cm /= 1000;
    write_snapshot(made, folder / "a.hdf5");
    write_snapshot(other, folder / "b.hdf5");
    const auto joined_by = [&](const auto& read) {
        std::vector<Snapshot> parts{read(folder / "a.hdf5"), read(folder / "b.hdf5")};
        share_units(parts[0], parts[1], "test");
        return joined(std::move(parts), {"a", "b"});
    };
    const auto read = [](const auto& file) { return read_snapshot(file); };
    const auto open = [](const auto& file) { return open_snapshot(file); };
    const Snapshot whole = joined_by(read);
    Snapshot left = joined_by(open);
    REQUIRE(left.deferred);
    load_deferred(left);
    CHECK(are_same(left.particles, whole.particles));
}

TEST_CASE("errors in a block equal errors of the whole file")
{
    const TemporaryFolder folder;
    for (const char* name : {"a.hdf5", "a.gadget2"})
        for (const bool in_velocity : {false, true}) {
            CAPTURE(name);
            CAPTURE(in_velocity);
            Snapshot made = sample_snapshot(several_blocks);
            Particles& p = made.particles;
            p.type[several_blocks - 7] = 5; // the last in the file
            (in_velocity ? p.velocity : p.position)[several_blocks - 7].y =
                std::numeric_limits<double>::infinity();
            write_snapshot(made, folder / name);
            const std::string line = reading_error(folder / name);
            CHECK(contains(line, in_velocity ? ", velocity y: inf: must be finite"
                                             : ", position y: inf: must be finite"));
            CHECK(error_line([&] { open_snapshot(folder / name); }, Fault::input) == line);
        }
}

TEST_CASE("opening a file detects damage in unchecked columns before any use")
{
    const TemporaryFolder folder;
    Snapshot made = sample_snapshot(several_blocks);
    made.has_accelerations = true;
    made.particles.acceleration.back() = {0.125, 0.25, 123456789.0};
    write_snapshot(made, folder / "a.hdf5");
    std::fstream file(folder / "a.hdf5", std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const double marked = 123456789.0;
    const std::size_t at = bytes.rfind({reinterpret_cast<const char*>(&marked), sizeof marked});
    REQUIRE(at != bytes.npos);
    file.seekp(std::streamoff(at));
    file.put(1).flush();
    const std::string line = reading_error(folder / "a.hdf5");
    CHECK(contains(line, "Acceleration"));
    CHECK(error_line([&] { open_snapshot(folder / "a.hdf5"); }, Fault::input) == line);
}

TEST_CASE("a file modified before reading its rows is refused")
{
    const TemporaryFolder folder;
    for (const char* name : {"a.hdf5", "a.gadget2"}) {
        CAPTURE(name);
        write_snapshot(sample_snapshot(300), folder / name);
        const Snapshot open = open_snapshot(folder / name);
        std::filesystem::resize_file(folder / name, std::filesystem::file_size(folder / name) + 1);
        CHECK(contains(error_line(
                           [&] {
                               open.deferred->read_vectors(Column::position, {0, 300});
                           },
                           Fault::input),
                       "changed while being read"));
    }
}

TEST_SUITE_END();
