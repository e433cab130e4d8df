/// \file  Coordinates in a periodic cube [0, side)^3.
#pragma once

#include <cmath>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Its side; 0: isolated, where every place is its own only image.
struct Periodicity {
    double side = 0;

    CHAMOMILE_HD explicit operator bool() const { return side > 0; }
    CHAMOMILE_HD double inverse_side() const { return side > 0 ? 1 / side : 0; }

    /// Of a difference of coordinates: the image nearest to 0.
    CHAMOMILE_HD double nearest(double d) const { return d - side * rint(d * inverse_side()); }
    CHAMOMILE_HD Vec3<double> nearest(const Vec3<double>& d) const
    {
        return {nearest(d.x), nearest(d.y), nearest(d.z)};
    }

    /// Of a coordinate: the image nearest to a place; what is nearest already stays as it is.
    CHAMOMILE_HD double nearest_to(double place, double x) const
    {
        return x - side * rint((x - place) * inverse_side());
    }
    CHAMOMILE_HD Vec3<double> nearest_to(const Vec3<double>& place, const Vec3<double>& x) const
    {
        return {nearest_to(place.x, x.x), nearest_to(place.y, x.y), nearest_to(place.z, x.z)};
    }

    /// Of a coordinate: the image in [0, side). What is not finite stays so.
    CHAMOMILE_HD double wrapped(double x) const
    {
        if (!(side > 0) || (x >= 0 && x < side))
            return x;
        const double inside = x - side * floor(x * inverse_side());
        return inside >= 0 && inside < side ? inside : 0 * fabs(x); // rounding at the faces
    }
    CHAMOMILE_HD Vec3<double> wrapped(const Vec3<double>& x) const
    {
        return {wrapped(x.x), wrapped(x.y), wrapped(x.z)};
    }
};

} // namespace chamomile
