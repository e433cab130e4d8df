/// \file  The state of N particles.
#pragma once

#include <cstdint>
#include <vector>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

using Index = std::uint32_t;

/// Particles holds the state of N particles, one array per property; entry i of each belongs to
/// particle i. The units are those of the snapshot or caller that the particles came from.
struct Particles {
    std::vector<std::uint64_t> id;
    std::vector<std::uint8_t> type; ///< 0..5 as in GADGET: gas, halo, disk, bulge, stars, boundary
    std::vector<double> mass;
    std::vector<Vec3<double>> position, velocity;
    std::vector<Vec3<double>> acceleration; ///< of the last force evaluation, G included
    std::vector<double> potential;          ///< per unit mass, negative, without the self term
    /// Plummer-equivalent softening lengths of their own; empty: one length for all.
    std::vector<double> softening;

    std::size_t size() const { return mass.size(); }

    /// Gives every array n entries; new entries are zero, and the type of new particles is 1.
    void resize(std::size_t n)
    {
        id.resize(n);
        type.resize(n, 1);
        mass.resize(n);
        position.resize(n);
        velocity.resize(n);
        acceleration.resize(n);
        potential.resize(n);
        if (!softening.empty())
            softening.resize(n);
    }
};

} // namespace chamomile
