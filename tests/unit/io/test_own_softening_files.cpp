// Per-particle softening in files, options and refusals.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/texts/stated_forces.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("own_softening_files");

TEST_CASE("files keep per-particle softening or note its loss")
{
    Snapshot snapshot;
    snapshot.particles = hernquist(300);
    Random random(17);
    for (std::size_t i = 0; i < 300; ++i)
        snapshot.particles.softening.push_back(0.2 * random());
    for (std::size_t i = 0; i < 300; ++i) {
        snapshot.particles.id[i] = i + 1;
        snapshot.particles.type[i] = i < 100 ? 1 : 4;
    }
    snapshot.softening =
        Softening{SofteningKind::spline, 0.2, SofteningRule::root_of_squares, true};
    const auto folder = std::filesystem::temp_directory_path() / "chamomile_own_softenings";
    std::filesystem::create_directories(folder);
    struct Case {
        const char* file;
        bool keeps;
        const char* says;
    };
    for (const Case& c :
         {Case{"s.hdf5", true, ""}, Case{"s.tipsy", true, "rule"},
          Case{"s.txt", false, "per-particle softening"}, Case{"s.gadget2", false, "softening"}}) {
        CAPTURE(c.file);
        std::string lost;
        for (const std::string& phrase : left_out(snapshot, folder / c.file))
            lost += phrase + "; ";
        CHECK((c.says[0] ? lost.find(c.says) != lost.npos : lost.empty()));
        write_snapshot(snapshot, folder / c.file);
        const Snapshot read = read_snapshot(folder / c.file);
        CHECK(read.particles.softening.size() == (c.keeps ? 300 : 0));
        for (std::size_t i = 0; i < read.particles.softening.size(); ++i)
            CHECK(read.particles.softening[i] ==
                  doctest::Approx(snapshot.particles.softening[i]).epsilon(1e-7));
        if (c.keeps)
            CHECK(read.softening->per_particle);
    }
    CHECK(read_snapshot(folder / "s.hdf5").particles.softening == snapshot.particles.softening);
    CHECK(read_snapshot(folder / "s.hdf5").softening->rule == SofteningRule::root_of_squares);
    std::filesystem::remove_all(folder);

    Snapshot other;
    other.particles = plummer(50);
    other.softening = Softening{SofteningKind::spline, 0.7};
    const Snapshot both = joined({snapshot, other}, {"a", "b"});
    REQUIRE(both.particles.softening.size() == 350);
    CHECK(both.particles.softening[7] == snapshot.particles.softening[7]);
    CHECK(both.particles.softening[320] == 0.7);
    CHECK(both.softening->length == 0.7);
}

TEST_CASE("softening by type reaches the particles or is refused with an error line")
{
    struct Case {
        const char *eps, *of_type, *line;
        double halo, disk; ///< per type; 0: one length for all
    };
    const Case cases[] = {
        {"0.4,1", "", "", 0.4, 1},
        {"", "halo=0.4,2=1", "", 0.4, 1},
        {"0.5", "disk=0.1", "", 0.5, 0.1},
        {"0.3,0.3", "", "", 0, 0},
        {"0.4,1,2", "", "eps: 0.4,1,2: must be one length, or one per type, 2", 0, 0},
        {"", "1=0.4", "eps_type: 2 (disk): length missing", 0, 0},
        {"0.1", "stars=0.4", "eps_type: 4 (stars): no such particles", 0, 0},
        {"1,2", "1=0.4", "eps_type: contradicts", 0, 0},
        {"-1,2", "", "eps: -1", 0, 0},
        {"1,x", "", "eps: x", 0, 0},
        {"", "halo", "eps_type: halo: must be TYPE=LENGTH", 0, 0},
        {"", "7=1", "eps_type: 7", 0, 0},
        {"", "1=-1,2=1", "eps_type: -1", 0, 0},
        {"", "1=1,halo=2", "gives type 1 twice", 0, 0}};
    for (const Case& c : cases) {
        CAPTURE(std::string(c.eps) + " / " + c.of_type);
        Snapshot snapshot;
        snapshot.particles = plummer(10);
        for (std::size_t i = 5; i < 10; ++i)
            snapshot.particles.type[i] = 2;
        SolverOptions options;
        GivenOptions given;
        std::string line;
        line += error_line([&] {
            for (const auto& [name, text] : {std::pair("eps", c.eps), {"eps-type", c.of_type}})
                if (*text) {
                    row_of(force_options(), name).put(options, "{" + std::string(name) + "}", text);
                    given.insert(name);
                }
            line = spelled(adopt_stated(snapshot, given, options).value_or(""));
        });
        CHECK(line.find(c.line) != line.npos);
        CHECK(line.empty() == (*c.line == 0));
        if (*c.line)
            continue;
        CHECK(options.softening.per_particle == (c.halo > 0));
        if (c.halo > 0) {
            CHECK(snapshot.particles.softening.front() == c.halo);
            CHECK(snapshot.particles.softening.back() == c.disk);
            CHECK(options.softening.length == std::max(c.halo, c.disk));
        }
        CHECK(!refusal(options));
    }
    SolverOptions on_gpu;
    on_gpu.softening.per_particle = true;
    on_gpu.device = "gpu";
    CHECK(!refusal(on_gpu));
    Particles bad = plummer(10);
    bad.softening.assign(10, 0.1);
    bad.softening[3] = -1;
    CHECK_THROWS_WITH(make_solver({})->solve(bad, Quantities::acceleration),
                      doctest::Contains("particle 3: softening length"));
}
