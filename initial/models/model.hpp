/// \file  Checks and helpers shared by all initial models.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// ParticleType numbers types as in GADGET.
enum ParticleType : std::uint8_t { halo_type = 1, disk_type = 2, bulge_type = 3 };

/// Throws Error(usage) `NAME: VALUE: REQUIREMENT` unless `condition` holds.
inline void require(bool condition, const std::string& name, double value,
                    const std::string& requirement)
{
    if (condition)
        return;
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    throw Error(Fault::usage, name + ": " + text + ": " + requirement);
}

/// Throws Error(usage) unless n is at least 1 and below 2^32 - 1.
inline void require_particle_number(std::uint64_t n)
{
    require(n >= 1 && n < (std::uint64_t(1) << 32) - 1, "number of particles", double(n),
            "must be at least 1 and below 2^32 - 1");
}

/// Returns n particles at the origin with ids 1 to n, equal masses of sum `mass`, time 0, G = 1.
inline Snapshot equal_mass_snapshot(std::uint64_t n, double mass, std::uint8_t type)
{
    require_particle_number(n);
    Snapshot snapshot;
    snapshot.particles.resize(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        snapshot.particles.id[i] = i + 1;
        snapshot.particles.type[i] = type;
        snapshot.particles.mass[i] = mass / double(n);
    }
    return snapshot;
}

} // namespace chamomile
