/// \file  The particles that halos are measured in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A column in two spans, `second` after `first`.
template <class T>
struct JoinedColumn {
    std::span<const T> first, second = {};

    const T& operator[](std::size_t i) const
    {
        return i < first.size() ? first[i] : second[i - first.size()];
    }
};

/// Views of particle columns. Velocities are `velocity_factor` times `velocity`.
struct HaloMatter {
    JoinedColumn<Vec3<double>> position, velocity;
    JoinedColumn<double> mass;
    JoinedColumn<std::uint8_t> type;
    double velocity_factor = 1;

    HaloMatter() = default;
    HaloMatter(const Particles& p)
        : position{p.position}, velocity{p.velocity}, mass{p.mass}, type{p.type}
    {}

    std::size_t size() const { return mass.first.size() + mass.second.size(); }
};

} // namespace chamomile
