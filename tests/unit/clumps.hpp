/// \file  Positions for tests of friends of friends.
#pragma once

#include <vector>

#include "tests/unit/clouds.hpp"

namespace chamomile::tests {

using Places = std::vector<Vec3<double>>;

/// Half the particles isolated, half in clumps of all sizes, some on faces and corners.
inline Places clumps(std::size_t n, double side, std::uint64_t seed)
{
    Random random(seed);
    Places places;
    while (places.size() < n / 2)
        places.push_back({random(0, side), random(0, side), random(0, side)});
    while (places.size() < n) {
        Vec3<double> center{random(0, side), random(0, side), random(0, side)};
        if (random() < 0.3)
            center = {0, random() < 0.5 ? 0 : center.y, side};
        const double radius = side / 20 * random();
        const auto members = std::size_t(2 + 60 * random() * random());
        for (std::size_t k = 0; k < members && places.size() < n; ++k)
            places.push_back(center + on_sphere(random, radius * random()));
    }
    return places;
}

} // namespace chamomile::tests
