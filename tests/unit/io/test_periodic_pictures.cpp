// Pictures of periodic boxes: images across faces, slices, turned views, arrays.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/io/pictures/array_file.hpp"
#include "chamomile/io/pictures/render.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("periodic_pictures");

namespace {

Snapshot box_of(std::size_t n, double side, std::uint64_t seed)
{
    Snapshot snapshot;
    snapshot.particles = tests::cloud(n, seed, [&](tests::Random& random) {
        return Vec3<double>{random(0, side), random(0, side), random(0, side)};
    });
    snapshot.box_size = side;
    return snapshot;
}

RenderOptions small_view()
{
    RenderOptions view;
    view.width = view.height = 64;
    return view;
}

double mean_of(const SurfaceDensity& density)
{
    double sum = 0;
    for (double value : density.values)
        sum += value;
    return sum / double(density.values.size());
}

} // namespace

TEST_CASE("a picture of the whole box contains its mass and middle")
{
    const Snapshot snapshot = box_of(20000, 3, 1);
    const RenderOptions completed = complete_view(snapshot, small_view());
    CHECK(*completed.box == 3);
    CHECK(*completed.field_of_view == 3);
    CHECK(*completed.center == Vec3<double>{1.5, 1.5, 1.5});
    CHECK(*completed.slice == within(1e-12, 0.3));
    RenderOptions whole = small_view();
    whole.slice = 3;
    CHECK(mean_of(surface_density(snapshot, whole)) == within(2e-3, 1.0 / 9));
}

TEST_CASE("a picture does not change when particles move around the box")
{
    Snapshot snapshot = box_of(5000, 3, 2);
    RenderOptions view = small_view();
    view.center = Vec3<double>{0.4, 1.5, 2.9};
    view.slice = 3;
    view.azimuth = 20;
    view.inclination = 65;
    const SurfaceDensity before = surface_density(snapshot, view);
    const Vec3<double> shift{1.3, -0.7, 0.2};
    for (Vec3<double>& r : snapshot.particles.position)
        r = Periodicity{3}.wrapped(r + shift);
    view.center = Periodicity{3}.wrapped(*view.center + shift);
    const SurfaceDensity after = surface_density(snapshot, view);
    for (std::size_t i = 0; i < before.values.size(); ++i)
        CHECK(std::abs(after.values[i] - before.values[i]) < 1e-6 * mean_of(before));
}

TEST_CASE("rotated views have no empty corners and a constant depth")
{
    const Snapshot snapshot = box_of(60000, 2, 3);
    RenderOptions view = small_view();
    view.slice = 2;
    view.azimuth = 45;
    view.inclination = 50;
    for (double width : {0.5, 2.0, 5.0}) {
        view.field_of_view = width;
        const SurfaceDensity density = surface_density(snapshot, view);
        CHECK(mean_of(density) == within(0.03, 1.0 / 4));
        for (int corner = 0; corner < 4; ++corner) {
            double sum = 0;
            for (int y = 0; y < 12; ++y)
                for (int x = 0; x < 12; ++x)
                    sum += density.at(corner % 2 ? 63 - x : x, corner / 2 ? 63 - y : y);
            CHECK(sum / 144 == within(width < 1 ? 0.5 : 0.2, 1.0 / 4));
        }
    }
    view.field_of_view = 100;
    CHECK_THROWS_AS(surface_density(snapshot, view), Error);
}

TEST_CASE("a slice contains exactly its particles, also across faces")
{
    Snapshot snapshot = box_of(20000, 1, 4);
    RenderOptions view = small_view();
    view.slice = 0.2;
    view.center = Vec3<double>{0.5, 0.5, 0.05};
    double mass = 0;
    for (const Vec3<double>& r : snapshot.particles.position)
        mass += r.z < 0.15 || r.z >= 0.95 ? 1.0 / 20000 : 0;
    CHECK(mean_of(surface_density(snapshot, view)) == within(5e-3, mass));

    snapshot.box_size = 0; // isolated: no images
    mass = 0;
    for (const Vec3<double>& r : snapshot.particles.position)
        mass += r.z < 0.15 ? 1.0 / 20000 : 0;
    view.field_of_view = 1.4;
    CHECK(mean_of(surface_density(snapshot, view)) * 1.4 * 1.4 == within(1e-3, mass));
    view.slice = 1e-12;
    CHECK_THROWS_AS(surface_density(snapshot, view), Error);
    view.slice = 0;
    CHECK_THROWS_AS(surface_density(snapshot, view), Error);
}

TEST_CASE("particles outside a stated box are drawn at their periodic images")
{
    Snapshot snapshot = box_of(100, 1, 5);
    const SurfaceDensity inside = surface_density(snapshot, small_view());
    snapshot.particles.position[50].y -= 1;
    snapshot.particles.position[51].x += 2;
    CHECK(*complete_view(snapshot, small_view()).box == 1);
    const SurfaceDensity outside = surface_density(snapshot, small_view());
    for (std::size_t k = 0; k < inside.values.size(); ++k)
        REQUIRE(std::abs(outside.values[k] - inside.values[k]) < 1e-9);
    RenderOptions view = small_view();
    view.box = 0;
    CHECK(*complete_view(snapshot, view).box == 0);
}

TEST_CASE("colour ranges of a smooth box leave room for structure")
{
    RenderOptions view = small_view();
    for (double slice : {1.0, 0.1}) {
        view.slice = slice;
        const RenderOptions completed = complete_view(box_of(20000, 1, 6), view);
        CHECK(*completed.min <= 0.4001 * slice);
        CHECK(*completed.max >= 19.99 * slice);
    }
}

TEST_CASE("write_npy() writes arrays readable by numpy")
{
    const SurfaceDensity density{3, 2, 1, {1, 2, 3, 4, 5, 6.5}};
    const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                       ("chamomile_" + std::to_string(::getpid()) + ".npy");
    write_npy(density, file);
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove(file);
    REQUIRE(bytes.size() > 10 + 48);
    CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t header =
        10 + std::size_t(std::uint8_t(bytes[8])) + 256 * std::size_t(std::uint8_t(bytes[9]));
    CHECK(header % 64 == 0);
    CHECK(bytes[header - 1] == '\n');
    CHECK(bytes.find("'shape': (2, 3)") < header);
    REQUIRE(bytes.size() == header + 6 * sizeof(double));
    CHECK(std::memcmp(bytes.data() + header, density.values.data(), 48) == 0);
}

TEST_SUITE_END();
