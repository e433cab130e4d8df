/// \file  Atoms as in a liquid: no overlaps, alternating charges.
#pragma once

#include <random>
#include <vector>

#include "chamomile/force/pairs/laws/lennard_jones_coulomb.hpp"

namespace chamomile::tests {

/// Returns n points on a cubic lattice with unit spacing, each moved by up to `jitter` along each
/// axis.
inline std::vector<Vec3<double>> jittered_lattice(std::size_t n, double jitter, unsigned seed = 1)
{
    std::size_t side = 1;
    while (side * side * side < n)
        ++side;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> move(-jitter, jitter);
    std::vector<Vec3<double>> positions(n);
    for (std::size_t i = 0; i < n; ++i)
        positions[i] = {double(i % side) + move(random), double(i / side % side) + move(random),
                        double(i / side / side) + move(random)};
    return positions;
}

/// Returns atoms of several kinds at jittered lattice points: sigma 0.75 to 0.95, epsilon 0.2 to
/// 1.5, charges -0.8 to 0.8.
template <class Combination>
std::vector<MolecularAtom<double>> liquid(std::size_t n, unsigned seed = 2)
{
    const std::vector<Vec3<double>> positions = jittered_lattice(n, 0.06, seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> part(0, 1);
    std::vector<MolecularAtom<double>> atoms(n);
    for (std::size_t i = 0; i < n; ++i)
        atoms[i] = molecular_atom<Combination>(positions[i], (i % 2 ? 0.8 : -0.8) * part(random),
                                               0.75 + 0.2 * part(random), 0.2 + 1.3 * part(random));
    return atoms;
}

} // namespace chamomile::tests
