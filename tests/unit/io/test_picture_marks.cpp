// Ends of colour ranges, marks and orbits in pictures.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/io/pictures/marks.hpp"
#include "chamomile/io/pictures/render.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("picture_marks");

TEST_CASE("automatic colour ranges end at round numbers on the colour bar")
{
    RenderOptions options;
    options.width = options.height = 100;
    for (std::uint64_t n : {300, 2000, 30011})
        for (Pictured quantity : {Pictured::density, Pictured::velocity, Pictured::dispersion}) {
            CAPTURE(n);
            CAPTURE(int(quantity));
            options.quantity = quantity;
            const RenderOptions view =
                complete_view(make_plummer({.particles = n, .exact_energy_limit = 0}), options);
            const std::vector<BarNumber> numbers = bar_numbers(view, 320, 13);
            REQUIRE(numbers.size() >= 3);
            CHECK(numbers.front().value == *view.min);
            CHECK(numbers.back().value == *view.max);
            for (double end : {*view.min, *view.max}) {
                std::ostringstream text;
                text << std::scientific << std::setprecision(2) << std::abs(end);
                CHECK(std::stod(text.str()) == std::abs(end)); // three digits
                if (quantity == Pictured::density)
                    CHECK(std::string("125").find(text.str()[0]) != std::string::npos);
            }
        }
    options.quantity = Pictured::density;
    options.min = 0.0123;
    const RenderOptions asked =
        complete_view(make_plummer({.particles = 300, .exact_energy_limit = 0}), options);
    CHECK(*asked.min == 0.0123);
    CHECK(rounded_up(0.011) == 0.02);
    CHECK(rounded_up(0.01) == 0.01);
    CHECK(rounded_up(6e7) == 1e8);
    CHECK(rounded_down(0.019) == 0.01);
    CHECK(rounded_down(0.02) == 0.02);
    CHECK(rounded_down(6e-7) == 5e-7);
}

namespace {

/// Returns the first and last column and row where two pictures differ.
std::array<int, 4> changed(const Image& before, const Image& after)
{
    std::array<int, 4> found{before.width(), -1, before.height(), -1};
    for (int y = 0; y < before.height(); ++y)
        for (int x = 0; x < before.width(); ++x)
            if (before.at(x, y) != after.at(x, y))
                found = {std::min(found[0], x), std::max(found[1], x), std::min(found[2], y),
                         std::max(found[3], y)};
    return found;
}

} // namespace

TEST_CASE("marks and orbits are drawn at their places")
{
    Snapshot snapshot;
    snapshot.particles.resize(3);
    snapshot.particles.type = {1, 1, 2};
    snapshot.particles.mass = {1, 1, 1};
    snapshot.particles.position = {{0.1, 0, 0}, {-0.1, 0, 0}, {0.5, -1, 0}};
    RenderOptions options;
    options.width = options.height = 160;
    options.center = Vec3<double>{0, 0, 0};
    options.field_of_view = 4;
    options.no_labels = true;
    options.types = {1, 2};
    const Image bare = render_snapshot(snapshot, options);
    const auto range_is = [&](const Image& image, const std::array<int, 4>& wanted) {
        const std::array<int, 4> found = changed(bare, image);
        for (std::size_t k = 0; k < 4; ++k) {
            CAPTURE(k);
            CHECK(std::abs(found[k] - wanted[k]) <= 3);
        }
    };
    options.mark = Vec3<double>{1, 1, 0};
    range_is(render_snapshot(snapshot, options), {106, 134, 26, 54});
    options.inclination = 90; // z is up, y is depth
    options.mark = Vec3<double>{1, 0, 1};
    CHECK(render_snapshot(snapshot, options).at(120 + 10, 40)[2] > 200);
    options.inclination = 0;
    options.mark_at = RenderOptions::middle;
    range_is(render_snapshot(snapshot, options), {66, 94, 66, 94});
    options.mark_at = 2;
    range_is(render_snapshot(snapshot, options), {86, 114, 106, 134});
    options.mark_at = {};
    options.mark = {};

    const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                       ("chamomile_" + std::to_string(::getpid()) + "_path.csv");
    options.path = file.string();
    const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
    write("time,center_x,center_y,center_z,more\n0,-1,0.5,7,x\n1,1,0.5,7,x\n");
    range_is(render_snapshot(snapshot, options), {40, 120, 60, 60});
    write("time,id,x,y,z\n0,7,-1,0.5,0\n0,9,-1,-0.5,0\n1,7,1,0.5,0\n1,9,1,-0.5,0\n");
    const Image two = render_snapshot(snapshot, options);
    range_is(two, {40, 120, 60, 100});
    CHECK(two.at(80, 70) == bare.at(80, 70)); // two orbits, not a line to and fro
    write("x,y,z\n-1,0.5,0\n1,wide,0\n");
    CHECK_THROWS_WITH_AS(render_snapshot(snapshot, options),
                         (options.path + ": line 3: y: wide: must be a finite number").c_str(),
                         Error);
    write("a,b\n1,2\n");
    CHECK_THROWS_AS(complete_view(snapshot, options), Error);
    write("x [kpc],y [kpc],z [kpc]\n0,0,0\n");
    CHECK_THROWS_AS(complete_view(snapshot, options), Error); // N-body units
    snapshot.units = {3.085678e18, 1.989e43, 1e5, true};
    write("x [kpc],y [kpc],z [kpc]\n-0.001,0.0005,0\n0.001,0.0005,0\n");
    range_is(render_snapshot(snapshot, options), {40, 120, 60, 60});
    snapshot.units = {};
    write("x,y,z\n0.6,0,0\n0.9,0,0\n"); // to an image across the face, not through the box
    options.box = 1.5;
    options.field_of_view = 1.5;
    options.slice = 1.5;
    options.path.clear();
    const Image box = render_snapshot(snapshot, options);
    options.path = file.string();
    CHECK(changed(box, render_snapshot(snapshot, options))[1] == -1);
    std::filesystem::remove(file);
}

TEST_SUITE_END();
