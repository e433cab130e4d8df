/// \file  Orbits of massless bodies in external potentials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {

using OrbitPoint = CenterPath::Row;

/// How far an orbit is followed. Without a length: through `passages` of pericenter and apocenter,
/// or until the body leaves for ever.
struct OrbitLength {
    std::optional<double> length = {}; ///< time
    int passages = 21;
    std::uint64_t parts = 0; ///< with a length: the path has parts + 1 points at equal times
};

/// Distances are from the origin. Pericenter and apocenter are the min and max of all passages.
struct Orbit {
    std::optional<double> pericenter, apocenter;
    std::optional<double> radial_period; ///< mean time between passages of pericenter
    std::optional<double> revolution;    ///< mean time in which the position turns by 2 pi
    double max_height = 0;               ///< max |z|
    OrbitPoint end;
    std::vector<OrbitPoint> path;
};

/// Follows the body by Hermite's scheme (Makino & Aarseth 1992) in double, with an error of about
/// 1e-9 in ten periods. Throws Error(usage) for a field without jerks or in a rotating frame, and
/// Error(numeric) for forces that are not finite.
Orbit follow_orbit(const ExternalField& field, const OrbitPoint& start, const OrbitLength& length);

/// A field at a place. Speeds are empty if they do not exist.
struct FieldPlace {
    double potential = 0;
    Vec3<double> acceleration;
    std::optional<double> circular_speed; ///< sqrt(-x . a)
    std::optional<double> escape_speed;   ///< sqrt(-2 phi), of potentials that vanish far away
};
FieldPlace field_at(const ExternalField& field, double time, const Vec3<double>& place);

/// An orbit by the passages next to its start. At inclination 0 it lies in the x-y plane,
/// counter-clockwise. The line of nodes is the x axis, turned by `node` about z.
struct OrbitChoice {
    double pericenter = 1, apocenter = 1;
    double inclination = 0, node = 0; ///< degrees
    /// Radial periods since pericenter, from 0 up to 1. Pericenter, and the apocenter of 1/2, lie
    /// on the line of nodes.
    double phase = 0.5;
};

/// Returns position and velocity of a body on this orbit at `time`. Throws Error(usage), like
/// follow_orbit(), and for an orbit that does not exist in the field.
OrbitPoint place_in(const ExternalField& field, double time, const OrbitChoice& orbit);

} // namespace chamomile
