// Snapshots whose rows each rank reads.
#include <limits>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/snapshot_fixture.hpp"

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
                led.begin(n);
                led.scatter(Column::mass, std::span<const double>(open.particles.mass));
                CHECK(led.read(*open.deferred, true));
                CHECK(std::ranges::equal(led.read_vectors(Column::position, {0, n}),
                                         whole.particles.position));
                CHECK(std::ranges::equal(led.read_vectors(Column::velocity, {0, n}),
                                         whole.particles.velocity));
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
