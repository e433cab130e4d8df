// Files written by other programs, if available.
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "chamomile/io/comoving.hpp"
#include "chamomile/io/summary.hpp"
#include "chamomile/io/tipsy/box_units.hpp"
#include "tests/unit/snapshot_fixture.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("real_files");

namespace {

/// Returns whether the file exists; otherwise prints a line, and the test ends.
bool at_hand(const std::filesystem::path& path)
{
    const bool exists = std::filesystem::exists(path);
    if (!exists)
        MESSAGE("skipped: no " << path.string());
    return exists;
}

const std::filesystem::path data = CHAMOMILE_SHARED_DATA;

} // namespace

TEST_CASE("colliding galaxies of GADGET-2 survive reading and conversion")
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
    CHECK(summary.types[1].min_mass == within(1e-5, 0.00104634));
    CHECK(summary.types[2].max_mass == within(1e-4, 0.00023252));
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

TEST_CASE("the King model of ChaNGa is read and written back unchanged")
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
    double kinetic = 0; // from the reference run's log; U needs the pairs
    for (std::size_t i = 0; i < snapshot.particles.size(); ++i)
        kinetic += 0.5 * snapshot.particles.mass[i] * norm_squared(snapshot.particles.velocity[i]);
    CHECK(kinetic == within(1e-6, 32.65580));

    const TemporaryFolder folder;
    write_snapshot(snapshot, folder / "a.tipsy");
    CHECK(has_bytes(folder / "a.tipsy", file_bytes(path)));
}

namespace {

/// Expected contents of a small file from another code.
struct CorpusFile {
    const char *name, *format, *units;
    std::array<std::size_t, 6> counts;
    double mass, omega_matter;
    const char* note;
};

/// Masses were summed from the bytes with numpy; the density of each whole box is Omega_m.
constexpr CorpusFile corpus[] = {
    {"genetic_10a_gadget",
     "GADGET-2 binary, format 1, little endian, single precision, 8-byte ids",
     "Mpc/h, 1e10 Msun/h, km/s",
     {0, 512},
     967605.0615,
     0.279,
     "which match the density of Omega_m"},
    {"genetic_10e_gadget_zoom_ptype_resample",
     "GADGET-2 binary, format 1",
     "Mpc/h, 1e10 Msun/h, km/s",
     {1728, 4095},
     967605.0615,
     0.279,
     "which match the density of Omega_m"},
    {"genetic_10g_gadget_multifile_baryons",
     "GADGET-2 binary, format 1",
     "Mpc/h, 1e10 Msun/h, km/s",
     {864, 4928},
     967605.0626,
     0.279,
     "which match the density of Omega_m"},
    {"genetic_10h_gadget_zoom_ptype_gas",
     "GADGET-2 binary, format 1",
     "Mpc/h, 1e10 Msun/h, km/s",
     {216, 0, 216, 0, 0, 4095},
     967605.0615,
     0.279,
     "which match the density of Omega_m"},
    {"genetic_02_simple_modif",
     "Tipsy, native",
     "N-body units (G = 1)",
     {0, 4096},
     0.315568,
     0,
     "looks like a comoving box of ChaNGa or PKDGRAV (time 0.01, side 1 about the origin"},
    {"genetic_04d_gas_supersampling",
     "Tipsy, native",
     "N-body units (G = 1)",
     {512, 5816},
     0.279,
     0,
     "give run, info or convert {box-length}"},
    {"genetic_06d_stray_wrapping_zoom",
     "Tipsy, native",
     "N-body units (G = 1)",
     {0, 932},
     0.279,
     0,
     "give run, info or convert {box-length}"},
    {"mono_test_2lpt_sc_gadget.hdf5",
     "HDF5, GADGET-4 layout",
     "Mpc/h, 1e10 Msun/h, km/s",
     {0, 32768},
     8600336.65,
     0.3099,
     "which match the density of Omega_m"},
    {"test_g2_snap.0",
     "GADGET-2 binary, format 2",
     "kpc/h, 1e10 Msun/h, km/s",
     {4039, 4096, 0, 0, 57},
     200.01084,
     0,
     "type 2: ignores the high word 228"},
};

} // namespace

TEST_CASE("files of genetIC, monofonIC and GADGET-2 are read with masses and units")
{
    for (const CorpusFile& file : corpus) {
        const auto path = data / "corpus" / file.name;
        if (!at_hand(path))
            continue;
        CAPTURE(file.name);
        const Snapshot snapshot = read_snapshot(path);
        CHECK(snapshot.format.starts_with(file.format));
        CHECK(snapshot.units.description() == file.units);
        const SnapshotSummary summary = summarize(snapshot.particles);
        for (std::size_t type = 0; type < 6; ++type)
            CHECK(summary.types[type].count == file.counts[type]);
        CHECK(summary.total_mass == within(1e-7, file.mass));
        if (file.omega_matter > 0) {
            REQUIRE(snapshot.comoving.has_value());
            CHECK(snapshot.comoving->omega_matter == within(1e-4, file.omega_matter));
            CHECK(density_over_critical(snapshot) == within(1e-3, file.omega_matter));
        }
        CHECK(std::any_of(snapshot.notes.begin(), snapshot.notes.end(),
                          [&](const std::string& note) { return contains(note, file.note); }));
    }
}

TEST_CASE("comoving boxes of ChaNGa are read with given side and h")
{
    for (const auto& [name, omega_matter, softenings] :
         {std::tuple{"genetic_02_simple_modif", 0.315568, 0},
          {"genetic_04d_gas_supersampling", 0.279, 2},
          {"genetic_06d_stray_wrapping_zoom", 0.279, 2}}) {
        const auto path = data / "corpus" / name;
        if (!at_hand(path))
            continue;
        CAPTURE(name);
        Snapshot snapshot = read_snapshot(path);
        set_box_scale(snapshot, {50 * 3.085678e24 / 0.701, 0.701}, "--box-length");
        REQUIRE(snapshot.comoving.has_value());
        CHECK(snapshot.comoving->omega_matter == within(1e-5, omega_matter));
        CHECK(density_over_critical(snapshot) == within(1e-5, omega_matter));
        CHECK(std::set<double>(snapshot.particles.softening.begin(),
                               snapshot.particles.softening.end())
                  .size() == std::size_t(softenings));
        CHECK_FALSE(contains(snapshot.notes.front(), "looks like"));
    }
}

TEST_CASE("small files of other codes keep ids, velocities, blocks and pieces")
{
    const auto corpus_file = [](const char* name) { return data / "corpus" / name; };
    const TemporaryFolder folder;
    if (const auto path = corpus_file("genetic_10a_gadget"); at_hand(path)) {
        const Snapshot snapshot = read_snapshot(path);
        CHECK(std::count(snapshot.particles.id.begin(), snapshot.particles.id.end(), 0) == 1);
        write_snapshot(snapshot, folder / "a.gadget2");
        const std::string bytes = file_bytes(folder / "a.gadget2"), wanted = file_bytes(path);
        const std::size_t begin = 264, size = 2 * (512 * 12 + 8); // positions and velocities
        CHECK(bytes.substr(begin, size) == wanted.substr(begin, size));
    }
    if (const auto path = corpus_file("genetic_10g_gadget_multifile_baryons"); at_hand(path)) {
        double sum = 0;
        const Snapshot snapshot = read_snapshot(path);
        for (const Vec3<double>& v : snapshot.particles.velocity)
            sum += norm_squared(v);
        CHECK(std::sqrt(sum / double(snapshot.particles.size())) / velocity_factor(snapshot) ==
              within(1e-4, 423.98));
    }
    if (const auto path = corpus_file("gio_snap_002.0"); at_hand(path))
        CHECK(contains(reading_error(path), "block VEL : missing: needed for 200 particles"));
    if (const auto path = corpus_file("test_g2_snap.0"); at_hand(path)) {
        const Particles particles = read_snapshot(corpus_file("test_g2_snap.1")).particles;
        std::vector<std::uint64_t> ids = particles.id;
        std::sort(ids.begin(), ids.end());
        CHECK(ids.front() == 1);
        CHECK(ids.back() == 8192);
        std::filesystem::copy_file(path, folder / "test_g2_snap.0");
        CHECK(contains(reading_error(folder / "test_g2_snap.0"), "test_g2_snap.1: file: missing"));
    }
}

TEST_SUITE_END();
