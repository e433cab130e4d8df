/// \file  Particles in a periodic cube: random, clustered, near a lattice, across faces.
#pragma once

#include <string>
#include <vector>

#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/periodic/short_range.hpp"
#include "tests/unit/clouds.hpp"

namespace chamomile::tests {

struct PeriodicSet {
    std::string name;
    Particles particles; ///< in the unit cube
    double error;        ///< factor by which errors may be larger because forces cancel
};

inline std::vector<PeriodicSet> periodic_sets(std::size_t n)
{
    const Periodicity unit{1};
    const auto uniform = [](Random& random) { return Vec3<double>{random(), random(), random()}; };
    // Plummer-like clumps at ten positions, some on faces and corners.
    const auto clumps = [&](Random& random) {
        Random places(17);
        const int clump = int(random(0, 10));
        Vec3<double> center;
        for (int k = 0; k <= clump; ++k)
            center = {places(), places(), k % 3 == 0 ? 0.0 : places()};
        const double r = 0.01 / std::sqrt(std::pow(random(0.05, 1), -2 / 3.) - 0.999);
        return unit.wrapped(center + on_sphere(random, r));
    };
    const auto corner = [&](Random& random) {
        return unit.wrapped(on_sphere(random, 0.08 * std::cbrt(random())));
    };
    const std::size_t side = std::size_t(std::cbrt(double(n)));
    std::size_t next = 0;
    const auto lattice = [&](Random& random) {
        const std::size_t k = next++;
        const auto at = [&](std::size_t c) {
            return (double(c % side) + 0.5 + random(-0.02, 0.02)) / double(side);
        };
        return Vec3<double>{at(k / side / side), at(k / side), at(k)};
    };
    return {{"random", cloud(n, 5, uniform), 1},
            {"clumps", cloud(n, 6, clumps), 1},
            {"across a corner", cloud(n, 7, corner), 1},
            {"near a lattice", cloud(side * side * side, 8, lattice), 30}};
}

/// Returns particles scaled from the unit cube to a cube with side `side`.
inline Particles scaled(Particles particles, double side)
{
    for (Vec3<double>& x : particles.position)
        x = side * x;
    return particles;
}

} // namespace chamomile::tests
