#include "chamomile/run/view/frame.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "chamomile/run/view/json.hpp"

namespace chamomile {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

/// A FramePoint is one point in the wire format.
struct FramePoint {
    std::uint16_t x, y, z;
    std::uint8_t type, speed;
};
static_assert(sizeof(FramePoint) == 8);

constexpr double steps = 65535, speeds = 3;

/// A Cube is the region shown in a frame, relative to the sample's origin.
struct Cube {
    Vec3<double> center{};
    double half = 1;
};

/// Returns the smallest cube that contains all points of the types.
Cube cube_of_all(const ViewSample& sample, unsigned types)
{
    constexpr double none = std::numeric_limits<double>::infinity();
    Vec3<double> low{none, none, none}, high{-none, -none, -none};
    for (std::size_t type = 0; type < 6; ++type) {
        if (!(types >> type & 1))
            continue;
        const auto [begin, end] = sample.ranges[type];
        for (std::size_t k = begin; k < end; ++k) {
            const MovingPoint& p = sample.points[k];
            low = {std::min<double>(low.x, p.x), std::min<double>(low.y, p.y),
                   std::min<double>(low.z, p.z)};
            high = {std::max<double>(high.x, p.x), std::max<double>(high.y, p.y),
                    std::max<double>(high.z, p.z)};
        }
    }
    if (!(low.x <= high.x))
        return {};
    const Vec3<double> size = high - low;
    const double half = 0.5001 * std::max({size.x, size.y, size.z});
    return {0.5 * (low + high), half > 0 ? half : 1};
}

/// Appends the points of one type inside the cube to `bytes`, at most `max`. Returns the number of
/// sample points examined.
std::size_t put_points(const ViewSample& sample, std::size_t type, const Cube& cube,
                       std::size_t max, std::string& bytes)
{
    const Vec3<double> low = cube.center - Vec3<double>{cube.half, cube.half, cube.half};
    const double scale = steps / (2 * cube.half);
    const double speed_scale = sample.speed > 0 ? 255 / (speeds * sample.speed) : 0;
    const auto [begin, end] = sample.ranges[type];
    const std::size_t start = bytes.size(), room = std::min(max, end - begin);
    bytes.resize(start + room * sizeof(FramePoint));
    std::size_t sent = 0, k = begin;
    for (; k < end && sent < room; ++k) {
        const MovingPoint& p = sample.points[k];
        const double x = (p.x - low.x) * scale, y = (p.y - low.y) * scale,
                     z = (p.z - low.z) * scale;
        const bool is_inside = x >= 0 && x <= steps && y >= 0 && y <= steps && z >= 0 && z <= steps;
        if (!is_inside)
            continue;
        const FramePoint point{std::uint16_t(x + 0.5), std::uint16_t(y + 0.5),
                               std::uint16_t(z + 0.5), std::uint8_t(type),
                               std::uint8_t(std::min(255.0, p.speed * speed_scale))};
        std::memcpy(bytes.data() + start + sent * sizeof point, &point, sizeof point);
        ++sent;
    }
    bytes.resize(start + sent * sizeof(FramePoint));
    return k - begin;
}

std::string head_of(const ViewSample& sample, const Cube& cube,
                    const std::array<double, 6>& weights)
{
    const ViewStatus& now = sample.status;
    const Vec3<double> center = sample.origin + cube.center;
    JsonObject json;
    json.add("sequence", sample.sequence).add("step", now.step).add("time", now.time);
    json.add("progress", now.progress).add("energy", now.energy).add("note", now.note);
    json.add("paused", now.paused).add("ended", now.ended).add("pace", now.pace);
    json.add("file", now.file);
    json.add_list("center", std::array{center.x, center.y, center.z}).add("half", cube.half);
    json.add_list("weights", weights);
    json.add("topSpeed", speeds * sample.speed * now.speed_unit);
    return json.text();
}

} // namespace

bool serves(const ViewSample& sample, const FrameWish& wish)
{
    return sample.asked >= wish.points && (wish.types & ~sample.types) == 0;
}

std::string frame_of(const ViewSample& sample, const FrameWish& wish)
{
    const unsigned types = wish.types & sample.types;
    Cube cube;
    if (wish.half > 0)
        cube = {wish.center - sample.origin, wish.half};
    else
        cube = cube_of_all(sample, types);
    std::size_t present = 0;
    for (std::size_t type = 0; type < 6; ++type)
        present += types >> type & 1 ? sample.ranges[type].end - sample.ranges[type].begin : 0;
    std::string points;
    std::array<double, 6> weights{};
    for (std::size_t type = 0; type < 6; ++type) {
        const std::size_t of_type = sample.ranges[type].end - sample.ranges[type].begin;
        if (!(types >> type & 1) || of_type == 0)
            continue;
        const double part = double(of_type) / double(present);
        const std::size_t max = std::size_t(std::ceil(part * double(wish.points)));
        const std::size_t seen = put_points(sample, type, cube, max, points);
        weights[type] = seen > 0 ? sample.mass[type] / double(seen) : 0;
    }
    std::string head = head_of(sample, cube, weights);
    head.resize((head.size() + 4 + 7) / 8 * 8 - 4, ' ');
    const std::uint32_t length = std::uint32_t(head.size());
    std::string frame(sizeof length, '\0');
    std::memcpy(frame.data(), &length, sizeof length);
    return frame + head + points;
}

} // namespace chamomile
