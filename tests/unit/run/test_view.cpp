// Samples and frames for a live view.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <doctest/doctest.h>

#include "chamomile/run/view/frame.hpp"
#include "chamomile/run/view/request.hpp"

namespace chamomile {
namespace {

/// Returns particles of two types: many light ones of type 1 about the origin, few heavy ones of
/// type 5 about (10, 0, 0).
Particles two_types(std::size_t many, std::size_t few)
{
    Particles particles;
    particles.resize(many + few);
    std::uint64_t state = 1;
    const auto next = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return double(state >> 11) * 0x1p-53 - 0.5;
    };
    for (std::size_t i = 0; i < many + few; ++i) {
        const bool is_heavy = i >= many;
        particles.type[i] = is_heavy ? 5 : 1;
        particles.mass[i] = is_heavy ? 10 : 1;
        particles.position[i] = {next() + (is_heavy ? 10 : 0), next(), next()};
        particles.velocity[i] = {0, is_heavy ? 3.0 : 4.0, 0};
    }
    return particles;
}

/// A ViewFrame parses a frame like the page.
struct ViewFrame {
    std::string head;
    std::vector<std::array<std::uint16_t, 4>> points; ///< x, y, z, and type and speed
    explicit ViewFrame(const std::string& bytes)
    {
        std::uint32_t length;
        std::memcpy(&length, bytes.data(), sizeof length);
        head = bytes.substr(4, length);
        REQUIRE((4 + length) % 8 == 0);
        REQUIRE((bytes.size() - 4 - length) % 8 == 0);
        points.resize((bytes.size() - 4 - length) / 8);
        std::memcpy(points.data(), bytes.data() + 4 + length, 8 * points.size());
    }
    std::size_t of_type(unsigned type) const
    {
        return std::size_t(std::count_if(points.begin(), points.end(),
                                         [&](const auto& p) { return (p[3] & 255u) == type; }));
    }
};

} // namespace

TEST_SUITE_BEGIN("view");

TEST_CASE("a sample takes types in proportion and keeps rare types")
{
    const Particles particles = two_types(50000, 20);
    const ViewSampler sampler(particles);
    ViewSample sample;
    sampler.gather(source_of(particles), 5000, 1u << 1 | 1u << 5, sample);
    CHECK(sample.ranges[1].end - sample.ranges[1].begin == 4999);
    CHECK(sample.ranges[5].end - sample.ranges[5].begin == 20);
    CHECK(sample.mass[1] == doctest::Approx(50000. / 50200));
    // The order is random: the first hundred lie on both sides of the middle.
    int right = 0;
    for (std::size_t k = 0; k < 100; ++k)
        right += sample.points[k].x + float(sample.origin.x) > 0;
    CHECK(std::abs(right - 50) < 20);
    sampler.gather(source_of(particles), max_view_points, 1u << 5, sample);
    CHECK(sample.points.size() == 20);
}

TEST_CASE("frame points match particle positions to a part in 65535")
{
    const Particles particles = two_types(3000, 5);
    const ViewSampler sampler(particles);
    ViewSample sample;
    sampler.gather(source_of(particles), 10000, 63, sample);
    const FrameWish wish{.points = 10000, .types = 63, .center = {10, 0.25, 0}, .half = 0.25};
    const ViewFrame frame(frame_of(sample, wish));
    std::size_t inside = 0;
    for (const Vec3<double>& x : particles.position) {
        const Vec3<double> place = (32767.5 / wish.half) * (x - wish.center);
        if (std::max({std::abs(place.x), std::abs(place.y), std::abs(place.z)}) > 32767.5)
            continue;
        ++inside;
        const bool is_there =
            std::any_of(frame.points.begin(), frame.points.end(), [&](const auto& p) {
                return std::abs(p[0] - 32767.5 - place.x) <= 1 &&
                       std::abs(p[1] - 32767.5 - place.y) <= 1 &&
                       std::abs(p[2] - 32767.5 - place.z) <= 1;
            });
        CHECK(is_there);
    }
    CHECK(frame.points.size() == inside);
    CHECK(frame.of_type(1) == 0);
    // Without a cube all points are shown; each type can be hidden.
    const ViewFrame all(frame_of(sample, {.points = 10000, .types = 63}));
    CHECK(all.of_type(1) == 3000);
    CHECK(all.of_type(5) == 5);
    const ViewFrame heavy(frame_of(sample, {.points = 10000, .types = 1u << 5}));
    CHECK(heavy.points.size() == 5);
    for (const auto& p : heavy.points)
        CHECK(int(p[3] >> 8) == int(255 * 3 / (3 * sample.speed)));
}

TEST_CASE("empty frames and frames of a single point are valid")
{
    const Particles one = two_types(1, 0);
    const ViewSampler sampler(one);
    ViewSample sample;
    for (const unsigned types : {0u, 2u, 63u}) {
        sampler.gather(source_of(one), 100, types, sample);
        const ViewFrame frame(frame_of(sample, {.points = 100, .types = 63}));
        CHECK(frame.points.size() == std::size_t(types & 2u ? 1 : 0));
        CHECK(frame.head.find("nan") == std::string::npos);
    }
    CHECK(ViewFrame(frame_of(sample, {.points = 0, .types = 63})).points.empty());
}

TEST_CASE("requests need a valid token, host and target")
{
    const std::string token(32, 'a');
    const auto status = [&](const RequestHead& head) { return judge(head, token).status; };
    const RequestHead good{.method = "GET",
                           .target = "/frame?after=7&points=100&types=2&box=1,2,3,4",
                           .host = "127.0.0.1:80",
                           .token = token};
    const ViewRequest frame = judge(good, token);
    REQUIRE(frame.kind == ViewRequest::Kind::frame);
    CHECK(frame.wish.after == 7);
    CHECK(frame.wish.points == 100);
    CHECK(frame.wish.types == 2);
    CHECK(frame.wish.center.z == 3);
    CHECK(frame.wish.half == 4);
    RequestHead bad = good;
    bad.token = {};
    CHECK(status(bad) == 403);
    bad = good;
    bad.host = "example.org";
    CHECK(status(bad) == 421);
    bad = good;
    bad.origin = "http://example.org";
    CHECK(status(bad) == 403);
    bad = good;
    bad.has_body = true;
    CHECK(status(bad) == 413);
    bad = good;
    bad.target = "/frame?after=7&points=100&types=2&box=1,2,3,1e301";
    CHECK(status(bad) == 400);
}

TEST_SUITE_END();

} // namespace chamomile
