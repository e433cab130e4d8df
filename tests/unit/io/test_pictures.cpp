// Projection, colours, and the PNG file, read back with libpng.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <numeric>
#include <set>

#include <doctest/doctest.h>
#include <omp.h>
#include <png.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/pictures/projection.hpp"
#include "chamomile/initial/models/galaxy.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/io/pictures/labels.hpp"
#include "chamomile/io/pictures/marks.hpp"
#include "chamomile/io/pictures/render.hpp"
#include "tests/unit/model_checks.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("pictures");

namespace {

std::filesystem::path scratch(const char* name)
{
    return std::filesystem::temp_directory_path() /
           ("chamomile_" + std::to_string(::getpid()) + "_" + name);
}

/// Rows of RGB bytes; fails the test if libpng cannot read the file.
std::vector<unsigned char> read_png(const std::filesystem::path& path, int& width, int& height)
{
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_file(&image, path.c_str()));
    CHECK((image.format & PNG_FORMAT_FLAG_COLOR) != 0);
    image.format = PNG_FORMAT_RGB;
    std::vector<unsigned char> bytes(PNG_IMAGE_SIZE(image));
    REQUIRE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr));
    width = int(image.width);
    height = int(image.height);
    return bytes;
}

double mass_of(const SurfaceDensity& density)
{
    return std::accumulate(density.values.begin(), density.values.end(), 0.0) * density.pixel_size *
           density.pixel_size;
}

/// Returns the pixel with the max value.
std::pair<int, int> brightest(const SurfaceDensity& density)
{
    const auto found = std::max_element(density.values.begin(), density.values.end());
    const int k = int(found - density.values.begin());
    return {k % density.width, k / density.width};
}

std::vector<ProjectedPoint> plummer_points(std::uint64_t n)
{
    const Particles sphere = make_plummer({.particles = n, .exact_energy_limit = 0}).particles;
    std::vector<ProjectedPoint> points;
    for (std::size_t i = 0; i < n; ++i)
        points.push_back({sphere.position[i].x, sphere.position[i].y, sphere.mass[i]});
    return points;
}

/// Returns a snapshot with single particles of given types and positions.
Snapshot particles_at(const std::vector<std::pair<int, Vec3<double>>>& list)
{
    Snapshot snapshot;
    snapshot.particles.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        snapshot.particles.id[i] = i + 1;
        snapshot.particles.type[i] = std::uint8_t(list[i].first);
        snapshot.particles.mass[i] = 1;
        snapshot.particles.position[i] = list[i].second;
    }
    return snapshot;
}

} // namespace

TEST_CASE("write_png() replaces an existing file and leaves no temporary file")
{
    Image image(37, 23);
    for (int y = 0; y < 23; ++y)
        for (int x = 0; x < 37; ++x)
            image.at(x, y) = {std::uint8_t(7 * x), std::uint8_t(11 * y), std::uint8_t(x * y)};
    const auto folder = scratch("png");
    std::filesystem::create_directory(folder);
    for (int time = 0; time < 2; ++time)
        write_png(image, folder / "a.png");
    int width, height;
    const auto bytes = read_png(folder / "a.png", width, height);
    CHECK(width == 37);
    CHECK(height == 23);
    bool same = true;
    for (int y = 0; y < 23; ++y)
        for (int x = 0; x < 37; ++x)
            for (int c = 0; c < 3; ++c)
                same = same &&
                       bytes[std::size_t(3 * (37 * y + x) + c)] == image.at(x, y)[std::size_t(c)];
    CHECK(same);
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
    CHECK_THROWS_AS(write_png(image, folder / "absent" / "a.png"), Error);
    std::filesystem::create_directory(folder / "b.png");
    CHECK_THROWS_AS(write_png(image, folder / "b.png"), Error); // a folder with this name
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
    std::filesystem::remove_all(folder);
    CHECK_THROWS_AS(write_png(image, "/dev/full/a.png"), Error);
}

TEST_CASE("the projection conserves mass")
{
    for (std::uint64_t n : {1, 10, 597, 20011}) {
        CAPTURE(n);
        const auto points = plummer_points(n);
        CHECK(mass_of(project(points, 200, 150, 200)) == within(1e-12, 1));
    }
    // Half the picture's width contains the expected mass, up to edge softening.
    const auto points = plummer_points(200003);
    double inside = 0;
    for (const ProjectedPoint& p : points)
        if (std::abs(p.x) < 1 && std::abs(p.y) < 0.75)
            inside += p.mass;
    CHECK(mass_of(project(points, 400, 300, 2)) == within(0.002, inside));
}

TEST_CASE("a projected Plummer sphere has the exact surface density")
{
    const SurfaceDensity density = project(plummer_points(1000003), 256, 256, 4);
    const double a = 3 * std::numbers::pi / 16;
    for (double radius : {0.2, 0.5, 1.0, 1.5}) {
        double sum = 0, count = 0;
        for (int y = 0; y < 256; ++y)
            for (int x = 0; x < 256; ++x) {
                const double r = std::hypot(x + 0.5 - 128, y + 0.5 - 128) * density.pixel_size;
                if (std::abs(r - radius) < 0.02) {
                    sum += density.at(x, y);
                    ++count;
                }
            }
        const double expected = a * a / (std::numbers::pi * std::pow(radius * radius + a * a, 2));
        CAPTURE(radius);
        CHECK(sum / count == within(0.05, expected));
    }
}

TEST_CASE("the width of projection kernels follows the local particle spacing")
{
    // A lattice with spacing s is smooth for any s in pixels.
    for (double spacing : {0.3, 1.0, 3.0, 7.0}) {
        CAPTURE(spacing);
        std::vector<ProjectedPoint> lattice;
        for (double y = -150; y < 150; y += spacing)
            for (double x = -150; x < 150; x += spacing)
                lattice.push_back({x, y, spacing * spacing});
        const SurfaceDensity density = project(lattice, 200, 200, 200);
        double largest = 0, smallest = 1e30;
        for (int y = 40; y < 160; ++y)
            for (int x = 40; x < 160; ++x) {
                largest = std::max(largest, density.at(x, y));
                smallest = std::min(smallest, density.at(x, y));
            }
        CHECK(largest / smallest < 1.5);
    }
}

TEST_CASE("projections match bitwise for any number of threads and any order")
{
    auto points = plummer_points(30011);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto alone = project(points, 300, 300, 5).values;
    omp_set_num_threads(2);
    CHECK(project(points, 300, 300, 5).values == alone);
    omp_set_num_threads(threads);
}

TEST_CASE("views map x to the right and y up, turn about z, then tilt")
{
    const auto near = [](const Vec3<double>& a, const Vec3<double>& b) {
        return norm(a - b) < 1e-15;
    };
    CHECK(near(View(0, 0)({1, 2, 3}), {1, 2, 3}));
    CHECK(near(View(90, 0)({1, 0, 0}), {0, 1, 0}));
    CHECK(near(View(90, 0)({0, 1, 0}), {-1, 0, 0}));
    CHECK(near(View(0, 90)({0, 0, 1}), {0, 1, 0}));  // z is up
    CHECK(near(View(0, 90)({0, 1, 0}), {0, 0, -1})); // y points away
    CHECK(near(View(90, 90)({0, 0, 1}), {0, 1, 0}));

    // Many particles at (x, y) = (3, 4) in a picture 16 wide make one bright pixel.
    std::vector<ProjectedPoint> points(50, {3, 4, 1});
    points.push_back({-3, -4, 1});
    const SurfaceDensity density = project(points, 320, 320, 16);
    const auto [x, y] = brightest(density);
    CHECK(std::abs(x + 0.5 - (160 + 3 * 20)) <= 1);
    CHECK(std::abs(y + 0.5 - (160 - 4 * 20)) <= 1);
}

TEST_CASE("isolated distant particles and groups of few stay dark")
{
    Snapshot snapshot = make_plummer({.particles = 2000, .exact_energy_limit = 0});
    std::vector<Vec3<double>> places; // more mass than the first colour's percentile
    for (int k = 0; k < 36; ++k)
        places.push_back({3.4 * std::cos(k / 4 * 2 * std::numbers::pi / 9),
                          3.4 * std::sin(k / 4 * 2 * std::numbers::pi / 9), 0.1 * (k % 4)});
    for (std::size_t i = 0; i < 2000; ++i)
        if (norm(snapshot.particles.position[i]) > 2)
            snapshot.particles.position[i] = {0, 0, 0.1};
    std::copy(places.begin(), places.end(), snapshot.particles.position.begin());
    RenderOptions options;
    options.width = options.height = 160;
    options.center = Vec3<double>{0, 0, 0};
    options.field_of_view = 8;
    options.no_labels = true;
    for (Pictured quantity : {Pictured::density, Pictured::velocity}) {
        options.quantity = quantity;
        const Image image = render_snapshot(snapshot, options);
        for (const Vec3<double>& place : places) {
            const Colour colour = image.at(80 + int(20 * place.x), 80 - int(20 * place.y));
            CHECK(int(*std::max_element(colour.begin(), colour.end())) < 30);
        }
        const Colour middle = image.at(80, 80);
        CHECK(int(*std::max_element(middle.begin(), middle.end())) > 150);
    }
}

TEST_CASE("the halo is hidden by disk, bulge or stars and shown otherwise")
{
    const Snapshot galaxy =
        particles_at({{1, {100, 0, 0}}, {2, {1, 2, 3}}, {3, {3, 2, 1}}, {1, {-50, 0, 0}}});
    CHECK(complete_view(galaxy, {}).types == std::vector<int>{2, 3, 4});
    CHECK(complete_view(galaxy, {}).center->x == within(1e-5, 2));
    const Snapshot sphere = particles_at({{1, {1, 0, 0}}, {0, {3, 0, 0}}});
    CHECK(complete_view(sphere, {}).types.size() == 6);
    RenderOptions halo;
    halo.types = {1};
    CHECK(complete_view(galaxy, halo).center->x == within(1e-5, 25));
    halo.types = {5};
    CHECK_THROWS_AS(render_snapshot(galaxy, halo), Error);
}

TEST_CASE("a completed view reproduces the automatic view")
{
    const Snapshot galaxy = make_galaxy({.particles = 3000});
    RenderOptions options;
    options.width = 120;
    options.height = 90;
    const RenderOptions view = complete_view(galaxy, options);
    REQUIRE(view.center);
    REQUIRE(view.field_of_view);
    REQUIRE(view.min);
    REQUIRE(view.max);
    CHECK(*view.min < *view.max);
    const Image direct = render_snapshot(galaxy, options),
                completed = render_snapshot(galaxy, view);
    bool same = true, coloured = false;
    for (int y = 0; y < 90; ++y)
        for (int x = 0; x < 120; ++x) {
            same = same && direct.at(x, y) == completed.at(x, y);
            coloured = coloured || direct.at(x, y)[0] > 200;
        }
    CHECK(same);
    CHECK(coloured);
}

TEST_CASE("colour maps run from dark to bright and clamp values")
{
    for (ColourMap map :
         {ColourMap::inferno, ColourMap::magma, ColourMap::viridis, ColourMap::grey}) {
        double before = -1;
        for (int k = 0; k <= 100; ++k) {
            const Colour c = colour_of(k / 100.0, map);
            const double brightness = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
            CHECK(brightness >= before);
            before = brightness;
        }
        CHECK(colour_of(-5, map) == colour_of(0, map));
        CHECK(colour_of(7, map) == colour_of(1, map));
        CHECK(colour_of(std::nan(""), map) == colour_of(0, map));
    }
    CHECK(colour_map_named("magma") == ColourMap::magma);
    CHECK_THROWS_AS(colour_map_named("jet"), Error);
}

TEST_CASE("colour-bar numbers are round, even and separate at any size")
{
    struct Range {
        Pictured quantity;
        double min, max;
        std::size_t min_count; ///< numbers below 120 pixels
    };
    const Range ranges[] = {{Pictured::density, 9.06e-5, 1.65e-4, 2},
                            {Pictured::density, 1e-4, 10, 3},
                            {Pictured::density, 3e-12, 7e9, 2},
                            {Pictured::density, 0.165, 2.4, 2},
                            {Pictured::density, 4.1e5, 4.3e5, 2},
                            {Pictured::dispersion, 1e16, std::nextafter(1e16, 2e16), 0},
                            {Pictured::velocity, -198.8, 198.8, 3},
                            {Pictured::velocity, -3.3e-7, 3.3e-7, 3},
                            {Pictured::potential, -155203, -149888, 2},
                            {Pictured::dispersion, 0, 122.7, 2}};
    for (const Range& range : ranges)
        for (double width : {30.0, 120.0, 200.0, 640.0}) {
            CAPTURE(range.min);
            CAPTURE(width);
            RenderOptions view;
            view.quantity = range.quantity;
            view.min = range.min;
            view.max = range.max;
            const std::vector<BarNumber> numbers = bar_numbers(view, width, 7);
            CHECK(numbers.size() >= (width < 120 ? 0 : range.min_count));
            std::vector<double> steps;
            for (std::size_t k = 0; k < numbers.size(); ++k) {
                const double value = numbers[k].value;
                CHECK(std::abs(std::stod(numbers[k].text) - value) <= 1e-9 * std::abs(value));
                CHECK(value >= range.min * (range.min > 0 ? 1 - 1e-9 : 1));
                CHECK(value <= range.max);
                CHECK(numbers[k].x + text_width(numbers[k].text, 7) < width + 7);
                if (k == 0)
                    continue;
                const bool is_beside_end =
                    (k == 1 && numbers[0].value == range.min) || value == range.max;
                CHECK(numbers[k].x > numbers[k - 1].x + text_width(numbers[k - 1].text, 7) + 6.9);
                const double ratio = value / numbers[k - 1].value;
                const bool is_125 = std::abs(ratio - 2) < 1e-9 || std::abs(ratio - 2.5) < 1e-9;
                if (!is_beside_end)
                    steps.push_back(is_125 ? 0 : std::abs(std::log10(ratio)));
            }
            if (range.quantity == Pictured::density && range.max > 9 * range.min)
                CHECK(std::set<long>(steps.begin(), steps.end()).size() <= 1);
        }
}

TEST_CASE("labels omit units of unitless snapshots and stay readable on pale colours")
{
    Snapshot snapshot = particles_at({{1, {0, 0, 0}}});
    snapshot.time = 25;
    CHECK(time_label(snapshot) == "t = 25");
    snapshot.time = 0.125;
    CHECK(time_label(snapshot) == "t = 0.125");
    Image image(80, 20);
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 80; ++x)
            image.at(x, y) = {242, 203, 183};
    draw_text(image, 5, 15, 8, "velocity", {240, 240, 240});
    int dark = 0;
    for (int y = 4; y < 18; ++y)
        for (int x = 4; x < 60; ++x)
            dark += image.at(x, y)[0] < 64;
    CHECK(dark > 14 * 56 / 5); // between the letters
}

TEST_CASE("labels stay inside the picture")
{
    Image image(20, 20);
    draw_text(image, -3, 3, 7, "t = 0.25 Gyr", {255, 255, 255});
    CHECK(text_width("kpc^2", 7) < text_width("kpc2", 7));
    CHECK(text_width("kpc", 70) == within(1e-12, 10 * text_width("kpc", 7)));
    draw_rectangle(image, 15, 15, 50, 50, {1, 2, 3});
    CHECK(image.at(19, 19) == Colour{1, 2, 3});
    CHECK(image.at(14, 19) == Colour{0, 0, 0});
}

TEST_CASE("impossible views and non-finite particles are refused")
{
    Snapshot snapshot = particles_at({{1, {0, 0, 0}}, {1, {1, 0, 0}}});
    const auto refused = [&](auto change) {
        RenderOptions options;
        change(options);
        CHECK_THROWS_AS(render_snapshot(snapshot, options), Error);
    };
    refused([](RenderOptions& o) { o.width = 0; });
    refused([](RenderOptions& o) { o.height = 100000; });
    refused([](RenderOptions& o) { o.field_of_view = 0; });
    refused([](RenderOptions& o) { o.field_of_view = std::nan(""); });
    refused([](RenderOptions& o) { o.min = 2, o.max = 1; });
    refused([](RenderOptions& o) { o.max = -1; });
    refused([](RenderOptions& o) { o.types = {6}; });
    snapshot.particles.position[1].y = std::nan("");
    refused([](RenderOptions&) {});
    CHECK_THROWS_AS(render_snapshot(Snapshot(), RenderOptions()), Error);
    // One particle, or particles at one position, can be drawn.
    CHECK(render_snapshot(particles_at({{1, {5, 5, 5}}}), {}).width() == 800);
}

TEST_SUITE_END();
