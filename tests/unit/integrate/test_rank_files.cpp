// Snapshots whose rows each rank reads.
#include <limits>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/hdf5_files.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("rank_files");

namespace {

/// Calls use(led) on rank 0 of `ranks` threads.
void lead(int ranks, const std::function<void(LedParticles&)>& use)
{
    run_ranks(ranks, [&](Communicator& own) {
        if (own.rank() > 0)
            return serve_particles(own);
        LedParticles led(own);
        use(led);
        end_serving(own);
    });
}

Snapshot boxed_snapshot(std::size_t n)
{
    Snapshot snapshot = sample_snapshot(n);
    snapshot.units = Units::gadget(true);
    snapshot.comoving = ComovingFrame{0.5, 0.3, 0.7, 0.7};
    snapshot.time = 0.5;
    snapshot.box_size = 300;
    return snapshot;
}

} // namespace

TEST_CASE("rows that ranks read equal those of the whole file")
{
    const TemporaryFolder folder;
    write_snapshot(boxed_snapshot(30011), folder / "a.hdf5", 3);
    write_snapshot(boxed_snapshot(30011), folder / "a.gadget2");
    write_snapshot(sample_snapshot(2), folder / "few.hdf5");
    for (const char* name : {"a.hdf5", "a.0.hdf5", "a.gadget2", "few.hdf5"}) {
        CAPTURE(name);
        Snapshot whole = read_snapshot(folder / name);
        if (whole.comoving)
            make_canonical(whole); // scales velocities and wraps positions
        for (const int ranks : {1, 2, 3, 7})
            lead(ranks, [&](LedParticles& led) {
                CAPTURE(ranks);
                Snapshot open = open_snapshot(folder / name, Masses::needed, MovingCheck::later);
                if (open.comoving)
                    make_canonical(open);
                const std::size_t n = open.particles.size();
                const GlobalIndex first = ranks == 3 ? GlobalIndex(3) << 32 : 0, end = first + n;
                led.begin(n, first);
                led.scatter(Column::mass, std::span<const double>(open.particles.mass));
                led.scatter(Column::id, std::span<const std::uint64_t>(open.particles.id));
                CHECK(led.read(*open.deferred, true));
                CHECK(std::ranges::equal(led.read_vectors(Column::position, {first, end}),
                                         whole.particles.position));
                CHECK(std::ranges::equal(led.read_vectors(Column::velocity, {first, end}),
                                         whole.particles.velocity));
                const std::vector<GlobalIndex> some{end - 1, first, first + n / 2, end - 1};
                const auto id = [&](GlobalIndex i) { return whole.particles.id[i - first]; };
                CHECK(std::ranges::equal(led.ids_of(some), some, {}, {}, id));
                Box box;
                for (const Vec3<double>& x : whole.particles.position)
                    box.add(x);
                REQUIRE(open.deferred->bounds());
                CHECK(open.deferred->bounds()->low == box.low);
                CHECK(open.deferred->bounds()->high == box.high);
                open.deferred->multiply(Column::position, 2);
                CHECK(open.deferred->bounds()->high == 2. * box.high);
                open.deferred->wrap({1});
                CHECK(!open.deferred->bounds());
                led.begin(n);
                led.scatter(Column::mass, std::span<const double>(open.particles.mass));
                CHECK(led.read(*open.deferred, false));
                CHECK(led.read_vectors(Column::velocity, {0, n})[0] == Vec3<double>{});
            });
    }
}

TEST_CASE("ranks take more than 2^32 particles together, unless one gets too many")
{
    const auto begin = [](LedParticles& led) {
        led.begin(3 * largest_number);
        led.begin(3 * largest_number + 1);
    };
    CHECK(error_line([&] { lead(3, begin); }, Fault::input) ==
          "particles: number: 12884901121: must be at most 12884901120 on 3 ranks");
}

TEST_CASE("more than 2^32 rows are read in parts, and refused on one rank")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "a.0.hdf5", 3, 0, 2, 1);
    constexpr hsize_t rows = (hsize_t(1) << 32) + 1000,
                      written = rows - 100; // 50 rows have values
    const std::vector<double> values = counting(3 * 50, 0.5);
    make_initial_conditions(folder / "a.1.hdf5", 0, 0, 2, 1);
    edit(folder / "a.1.hdf5", [&](hid_t file) {
        put_attribute(file, "Header", "NumPart_ThisFile", H5T_STD_U64LE, {6},
                      {0, double(rows), 0, 0, 0, 0});
        H5Gclose(H5Gcreate2(file, "PartType1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose); // a hole in the file
        H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
        const hsize_t first[] = {written, 0}, some[] = {50, 3};
        put_data(file, "PartType1/Coordinates", H5T_IEEE_F32LE, {rows, 3}, {}, creation.id());
        H5Lcreate_hard(file, "PartType1/Coordinates", file, "PartType1/Velocities", H5P_DEFAULT,
                       H5P_DEFAULT);
        const Hdf5Handle data(H5Dopen2(file, "PartType1/Coordinates", H5P_DEFAULT), H5Dclose),
            all(H5Dget_space(data.id()), H5Sclose), part = space_of({50, 3});
        H5Sselect_hyperslab(all.id(), H5S_SELECT_SET, first, nullptr, some, nullptr);
        REQUIRE(H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, part.id(), all.id(), H5P_DEFAULT,
                         values.data()) >= 0);
    });
    for (const char* name : {"a.0.hdf5", "a.1.hdf5"})
        edit(folder / name, [&](hid_t file) {
            put_attribute(file, "Header", "NumPart_Total", H5T_STD_U32LE, {6},
                          {0, 1003, 0, 0, 0, 0});
            put_attribute(file, "Header", "NumPart_Total_HighWord", H5T_STD_U32LE, {6},
                          {0, 1, 0, 0, 0, 0});
        });
    const std::shared_ptr<FileRows> opened = open_rows(folder / "a.0.hdf5");
    const auto positions = opened->read_vectors(Column::position, {3 + written, 3 + written + 51});
    CHECK(positions[0] == Vec3<double>{0.5, 1.5, 2.5});
    CHECK(positions[49] == Vec3<double>{147.5, 148.5, 149.5});
    CHECK(positions[50] == Vec3<double>{});
    CHECK(contains(reading_error(folder / "a.0.hdf5"),
                   "number of particles of type 1: 4294968299: must be 0 or more, in all types at "
                   "most 4294967295"));
}

TEST_CASE("ranks leave rows to rank 0 that are not finite, or not in one file that all see")
{
    const TemporaryFolder folder;
    for (const bool in_velocity : {false, true}) {
        Snapshot wrong = boxed_snapshot(3000);
        (in_velocity ? wrong.particles.velocity : wrong.particles.position)[1234].z =
            std::numeric_limits<double>::quiet_NaN();
        write_snapshot(wrong, folder / "wrong.hdf5");
        lead(3, [&](LedParticles& led) {
            const Snapshot open =
                open_snapshot(folder / "wrong.hdf5", Masses::needed, MovingCheck::later);
            led.begin(open.particles.size());
            CHECK(!led.read(*open.deferred, false));
            CHECK(error_line([&] { check_moving(open, folder / "wrong.hdf5"); }, Fault::input) ==
                  reading_error(folder / "wrong.hdf5"));
        });
    }
    write_snapshot(boxed_snapshot(3000), folder / "a.hdf5");
    write_snapshot(boxed_snapshot(3000), folder / "b.hdf5");
    lead(3, [&](LedParticles& led) { // one path names only one file
        Snapshot open = open_snapshot(folder / "a.hdf5");
        open.deferred =
            FileRows::joined(open.deferred, 3000, open_snapshot(folder / "b.hdf5").deferred);
        led.begin(6000);
        CHECK(!led.read(*open.deferred, true));
    });
    lead(3, [&](LedParticles& led) {
        const Snapshot open = open_snapshot(folder / "a.hdf5");
        std::filesystem::resize_file(folder / "a.hdf5",
                                     std::filesystem::file_size(folder / "a.hdf5") + 1);
        led.begin(open.particles.size());
        CHECK(!led.read(*open.deferred, true));
    });
}

TEST_SUITE_END();
