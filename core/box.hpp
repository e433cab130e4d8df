/// \file  Axis-aligned boxes.
#pragma once

#include <limits>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// The smallest axis-aligned box around some points; empty (low > high) until a point is added.
struct Box {
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    Vec3<double> low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};

    CHAMOMILE_HD void add(const Vec3<double>& p)
    {
        low = {min(low.x, p.x), min(low.y, p.y), min(low.z, p.z)};
        high = {greatest(high.x, p.x), greatest(high.y, p.y), greatest(high.z, p.z)};
    }
    CHAMOMILE_HD void add(const Box& b) // b may be empty
    {
        low = {min(low.x, b.low.x), min(low.y, b.low.y), min(low.z, b.low.z)};
        high = {greatest(high.x, b.high.x), greatest(high.y, b.high.y), greatest(high.z, b.high.z)};
    }
    CHAMOMILE_HD Vec3<double> center() const { return 0.5 * low + 0.5 * high; }
    CHAMOMILE_HD double longest_side() const
    {
        return greatest(greatest(high.x - low.x, high.y - low.y), high.z - low.z);
    }
    /// Returns the squared distance from p to the nearest point in the box; 0 inside.
    CHAMOMILE_HD double distance_squared(const Vec3<double>& p) const
    {
        const double dx = greatest(greatest(0.0, low.x - p.x), p.x - high.x);
        const double dy = greatest(greatest(0.0, low.y - p.y), p.y - high.y);
        const double dz = greatest(greatest(0.0, low.z - p.z), p.z - high.z);
        return dx * dx + dy * dy + dz * dz;
    }
    /// Returns the distance from p to the farthest corner.
    CHAMOMILE_HD double farthest_distance(const Vec3<double>& p) const
    {
        return norm(Vec3<double>{greatest(p.x - low.x, high.x - p.x),
                                 greatest(p.y - low.y, high.y - p.y),
                                 greatest(p.z - low.z, high.z - p.z)});
    }

private: // std::min and std::max cannot be called on a device
    static CHAMOMILE_HD double min(double a, double b) { return b < a ? b : a; }
    static CHAMOMILE_HD double greatest(double a, double b) { return a < b ? b : a; }
};

} // namespace chamomile
