// Particle columns: an added column travels with the particles through all code that loops over the
// column list.
#include <algorithm>

#include <doctest/doctest.h>

#include "chamomile/initial/transform.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "chamomile/run/files/snapshot_writer.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("columns");

namespace {

/// Returns a snapshot with an added column `age`, a function of id.
Snapshot with_age(std::size_t n)
{
    Snapshot snapshot = sample_snapshot(n);
    std::vector<double>& age = snapshot.particles.extra["age"];
    for (const std::uint64_t id : snapshot.particles.id)
        age.push_back(double(id % 1000003) + 0.5);
    return snapshot;
}

/// Returns whether each of `n` particles has the age for its id.
bool has_ages(const Particles& particles, std::size_t n)
{
    const auto found = particles.extra.find("age");
    if (found == particles.extra.end() || found->second.size() != n || particles.size() != n)
        return false;
    for (std::size_t i = 0; i < n; ++i)
        if (found->second[i] != double(particles.id[i] % 1000003) + 0.5)
            return false;
    return true;
}

} // namespace

TEST_CASE("extra columns follow particles through selection, joining and thinning")
{
    Snapshot snapshot = with_age(597);
    REQUIRE(has_ages(snapshot.particles, 597));
    keep_types(snapshot, {1, 4});
    const std::size_t kept = snapshot.particles.size();
    CHECK(kept < 597);
    CHECK(has_ages(snapshot.particles, kept));
    thin_out(snapshot, 3);
    CHECK(has_ages(snapshot.particles, snapshot.particles.size()));

    std::vector<Snapshot> parts{with_age(40), with_age(20)};
    for (std::size_t i = 0; i < 20;
         ++i) { // above the ids in the first part, so joined() keeps them
        parts[1].particles.id[i] = 2000000000000 + i;
        parts[1].particles.extra["age"][i] = double((2000000000000 + i) % 1000003) + 0.5;
    }
    parts[1].particles.extra["alone"].resize(20);
    const Snapshot both = joined(std::move(parts), {"a", "b"});
    CHECK(has_ages(both.particles, 60));
    CHECK(both.particles.extra.size() == 1);
    CHECK(both.notes.back() == "b: column alone: not in all files: left out");
}

TEST_CASE("extra columns are written to HDF5, also by the writer thread")
{
    const TemporaryFolder folder;
    const Snapshot snapshot = with_age(597);
    write_snapshot(snapshot, folder / "a.hdf5");
    CHECK(has_ages(read_snapshot(folder / "a.hdf5").particles, 597));
    SnapshotWriter writer;
    RowsInMemory rows(snapshot.particles);
    writer.write(snapshot, rows, folder / "b.hdf5");
    writer.finish();
    CHECK(has_ages(read_snapshot(folder / "b.hdf5").particles, 597));
    for (const char* name : {"a.txt", "a.gadget2", "a.tipsy"})
        CHECK(std::ranges::count(left_out(snapshot, folder / name), "the column age") == 1);
    Snapshot shorter = snapshot;
    shorter.particles.extra["age"].pop_back();
    CHECK(error_line([&] { write_snapshot(shorter, folder / "c.hdf5"); }).find("lengths") !=
          std::string::npos);
}

TEST_CASE("extra columns survive a checkpoint")
{
    const TemporaryFolder folder;
    Particles particles = with_age(200).particles;
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.1;
    const auto solver = make_solver(options);
    SimulationOptions settings;
    settings.end_time = 1e-3;
    settings.step.length = 1e-3;
    Simulation simulation(particles, *solver, settings);
    simulation.run();
    write_checkpoint(folder / "state.chk", [&](Archive& archive) { simulation.exchange(archive); });
    Particles later;
    Simulation next(later, *solver, settings);
    CheckpointReader archive(folder / "state.chk");
    next.exchange(archive);
    CHECK(has_ages(later, 200));
}

TEST_SUITE_END();
