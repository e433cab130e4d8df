// Particles whose motion stays in their file: block after block they are those of the whole file,
// and what is wrong in them is said in the same words.
#include <fstream>
#include <limits>
#include <memory>

#include <doctest/doctest.h>

#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "tests/error_line.hpp"
#include "tests/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("file_rows");

namespace {

/// More than a block, and no multiple of it.
constexpr std::size_t several_blocks = rows_of_block + 31657;

/// Returns the particles with what moves of them, taken a block after another.
Particles gathered(const Snapshot& snapshot)
{
    Particles all = snapshot.particles;
    const std::shared_ptr<ParticleRows> rows = rows_of(snapshot);
    const auto take = [&](auto& into, const auto& block) {
        into.insert(into.end(), block.begin(), block.end());
    };
    rows->for_blocks(all.size(), [&](std::size_t begin, std::size_t end) {
        take(all.position, rows->vectors(Column::position, {begin, end}));
        take(all.velocity, rows->vectors(Column::velocity, {begin, end}));
        take(all.acceleration, rows->vectors(Column::acceleration, {begin, end}));
        take(all.potential, rows->reals(Column::potential, {begin, end}));
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

TEST_CASE("blocks of a file are those of the whole file, in other units too")
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
        CHECK(!whole.moving);
        REQUIRE(open.moving);
        CHECK(open.particles.position.capacity() == 0);
        CHECK(are_same(gathered(open), whole.particles));
        for (Snapshot* each : {&whole, &open})
            convert_units(*each, other, "test");
        CHECK(are_same(gathered(open), whole.particles));
        bring(open);
        CHECK(!open.moving);
        CHECK(are_same(open.particles, whole.particles));
    }
    write_snapshot(sample_snapshot(5), folder / "a.txt"); // which is read whole
    CHECK(!open_snapshot(folder / "a.txt").moving);
}

TEST_CASE("blocks of comoving files have peculiar velocities")
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
        CHECK(are_same(gathered(open_snapshot(folder / name)),
                       read_snapshot(folder / name).particles));
    }
}

TEST_CASE("what is wrong in a block is said as of the whole file")
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

TEST_CASE("damage is found in values that nothing checks, and before anything is taken")
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

TEST_CASE("a file that changes before its rows are taken is refused")
{
    const TemporaryFolder folder;
    for (const char* name : {"a.hdf5", "a.gadget2"}) {
        CAPTURE(name);
        write_snapshot(sample_snapshot(300), folder / name);
        const Snapshot open = open_snapshot(folder / name);
        std::filesystem::resize_file(folder / name, std::filesystem::file_size(folder / name) + 1);
        CHECK(contains(error_line(
                           [&] {
                               open.moving->vectors(Column::position, {0, 300});
                           },
                           Fault::input),
                       "changed while being read"));
    }
}

TEST_SUITE_END();
