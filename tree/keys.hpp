/// \file  63-bit Morton keys, which sort particles along a space-filling curve, and their cube.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/box.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {

using Key = std::uint64_t;

inline constexpr int key_levels = 21; ///< octree levels that a key resolves, three bits each

/// The cube that the keys divide: level 0 of the octree.
struct RootCube {
    Vec3<double> low;
    double size = 1;
};

/// Returns a cube about the middle of low .. high, slightly larger, so that no particle lies on its
/// upper faces.
RootCube cube_around(const Vec3<double>& low, const Vec3<double>& high);

/// Size and place of the root cube: its side over the smallest cube's side, and per axis the
/// fraction of the added room that lies below the particles.
struct CubePlacement {
    double growth = 1;
    Vec3<double> below{0.5, 0.5, 0.5};
};

/// Returns a random placement that makes the cube 1.5 to 2 times as large, so that successive
/// evaluations use different cells and their errors differ (Barnes's treecode shifts its root too).
/// Depends only on seed and number, by splitmix64 (Steele, Lea & Flood 2014).
CubePlacement random_placement(std::uint64_t seed, std::uint64_t number);

/// Returns the placed cube. Always computed on the host, so that its bits do not depend on where
/// `smallest` was measured.
RootCube placed(const RootCube& smallest, const CubePlacement& placement);

/// Returns the smallest cube around all positions (cube_around()). Throws Error(input) for a
/// non-finite position, naming the first such particle as `word`, and for an extent that overflows.
RootCube bounding_cube(std::span<const Vec3<double>> positions, const char* word = "particle");

/// Moves bit k of x to bit 3k, for the lowest 21 bits.
CHAMOMILE_HD Key spread_bits(Key x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    x = (x | x << 2) & 0x1249249249249249ull;
    return x;
}

/// Returns the Morton key of a position: x, y, z are bits 2, 1, 0 of each octal digit.
CHAMOMILE_HD Key morton_key(const Vec3<double>& position, const RootCube& cube)
{
    constexpr double cells = 1 << key_levels;
    const double scale = cells / cube.size;
    const auto digit = [](double x) { return Key(x < 0 ? 0 : x >= cells ? cells - 1 : x); };
    const Vec3<double> r = scale * (position - cube.low);
    return spread_bits(digit(r.x)) << 2 | spread_bits(digit(r.y)) << 1 | spread_bits(digit(r.z));
}

/// The inverse of spread_bits().
CHAMOMILE_HD Key gathered_bits(Key x)
{
    x &= 0x1249249249249249ull;
    x = (x | x >> 2) & 0x10c30c30c30c30c3ull;
    x = (x | x >> 4) & 0x100f00f00f00f00full;
    x = (x | x >> 8) & 0x1f0000ff0000ffull;
    x = (x | x >> 16) & 0x1f00000000ffffull;
    x = (x | x >> 32) & 0x1fffff;
    return x;
}

/// Returns the lowest corner of the cell of a key, whose side is cube.size / 2^21.
CHAMOMILE_HD Vec3<double> place_of_key(Key key, const RootCube& cube)
{
    constexpr double cells = 1 << key_levels;
    const Vec3<double> digits{double(gathered_bits(key >> 2)), double(gathered_bits(key >> 1)),
                              double(gathered_bits(key))};
    return cube.low + cube.size / cells * digits;
}

/// Fills keys[i] = morton_key(positions[i], cube) with all threads.
void compute_keys(std::span<const Vec3<double>> positions, const RootCube& cube,
                  std::span<Key> keys);

} // namespace chamomile
