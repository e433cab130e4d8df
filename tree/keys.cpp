#include "chamomile/tree/keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

[[noreturn]] void refuse_position(std::span<const Vec3<double>> positions, const char* word)
{
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Vec3<double>& p = positions[i];
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
            throw Error(Fault::input, std::string(word) + " " + item(i) + ": position: (" +
                                          std::to_string(p.x) + ", " + std::to_string(p.y) + ", " +
                                          std::to_string(p.z) + "): must be finite");
    }
    throw Error(Fault::input, "positions: extent overflows: coordinates must be below 1e300");
}

} // namespace

RootCube cube_around(const Vec3<double>& low, const Vec3<double>& high)
{
    const double size = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    const double side = size > 0 ? size * (1 + 1e-12) : 1;
    const Vec3<double> middle = 0.5 * low + 0.5 * high;
    return {middle - Vec3<double>{0.5 * side, 0.5 * side, 0.5 * side}, side};
}

CubePlacement random_placement(std::uint64_t seed, std::uint64_t number)
{
    std::uint64_t state = seed;
    const auto word = [&state] {
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    };
    state = word() ^ number; // seeds that differ little start far apart
    const auto uniform = [&word] { return double(word() >> 11) * 0x1p-53; };
    CubePlacement placement;
    placement.growth = 1.5 + 0.5 * uniform();
    for (double* below : {&placement.below.x, &placement.below.y, &placement.below.z})
        *below = uniform();
    return placement;
}

RootCube placed(const RootCube& smallest, const CubePlacement& placement)
{
    const double side = smallest.size * placement.growth, room = side - smallest.size;
    return {smallest.low - room * placement.below, side};
}

RootCube bounding_cube(std::span<const Vec3<double>> positions, const char* word)
{
    if (positions.empty())
        return {};
    double lx = Box::infinity, ly = lx, lz = lx, hx = -lx, hy = -lx, hz = -lx, probe = 0;
#pragma omp parallel for if (positions.size() > worth_threads) reduction(min : lx, ly, lz) reduction(max : hx, hy, hz) reduction(+ : probe)
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Vec3<double>& p = positions[i];
        lx = p.x < lx ? p.x : lx;
        ly = p.y < ly ? p.y : ly;
        lz = p.z < lz ? p.z : lz;
        hx = p.x > hx ? p.x : hx;
        hy = p.y > hy ? p.y : hy;
        hz = p.z > hz ? p.z : hz;
        probe += 0 * (p.x + p.y + p.z); // NaN if any coordinate is not finite
    }
    const double size = std::max({hx - lx, hy - ly, hz - lz});
    if (probe != 0 || !std::isfinite(size))
        refuse_position(positions, word);
    return cube_around({lx, ly, lz}, {hx, hy, hz});
}

void compute_keys(std::span<const Vec3<double>> positions, const RootCube& cube,
                  std::span<Key> keys)
{
    constexpr int half = 10;
    static constexpr auto spread_table = [] {
        std::array<std::uint32_t, 1 << (key_levels - half)> table{};
        for (std::size_t x = 0; x < table.size(); ++x)
            for (int bit = 0; bit < 11; ++bit)
                table[x] |= std::uint32_t(x >> bit & 1) << (3 * bit);
        return table;
    }();
    constexpr double cells = 1 << key_levels;
    constexpr std::size_t ahead = 64; // some memory systems do not prefetch by themselves
    const double scale = cells / cube.size;
    const std::size_t last = positions.size() - 1;
    const auto spread = [](double x) {
        const auto cell = std::uint32_t(std::int32_t(x < 0 ? 0 : x >= cells ? cells - 1 : x));
        return Key(spread_table[cell >> half]) << (3 * half) |
               spread_table[cell & ((1 << half) - 1)];
    };
#pragma omp parallel for if (positions.size() > worth_threads)
    for (std::size_t i = 0; i < positions.size(); ++i) {
        __builtin_prefetch(&positions[std::min(i + ahead, last)]);
        const Vec3<double> r = scale * (positions[i] - cube.low);
        keys[i] = spread(r.x) << 2 | spread(r.y) << 1 | spread(r.z);
    }
}

} // namespace chamomile
