/// \file  Coordinates in a periodic cube [0, side)^3.
#pragma once

#include <cmath>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A periodic cube. With side 0 the system is isolated, and positions have no images.
struct Periodicity {
    double side = 0;

    CHAMOMILE_HD explicit operator bool() const { return side > 0; }
    CHAMOMILE_HD double inverse_side() const { return side > 0 ? 1 / side : 0; }

    /// Returns the image of a coordinate difference nearest to 0.
    CHAMOMILE_HD double nearest(double d) const { return d - side * whole(d * inverse_side()); }
    CHAMOMILE_HD Vec3<double> nearest(const Vec3<double>& d) const
    {
        return {nearest(d.x), nearest(d.y), nearest(d.z)};
    }

    /// Returns the image of x nearest to `place`; if x is nearest already, bit for bit.
    CHAMOMILE_HD double nearest_to(double place, double x) const
    {
        return x - side * whole((x - place) * inverse_side());
    }
    CHAMOMILE_HD Vec3<double> nearest_to(const Vec3<double>& place, const Vec3<double>& x) const
    {
        return {nearest_to(place.x, x.x), nearest_to(place.y, x.y), nearest_to(place.z, x.z)};
    }

    /// Returns the image of a coordinate in [0, side). A non-finite value stays non-finite.
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

private:
    /// Returns the integer nearest to x. On the host |x| must be below 2^51: sums with 1.5 * 2^52
    /// round to integers, and loops with them vectorize, unlike those that call rint().
    static CHAMOMILE_HD double whole(double x)
    {
#ifdef __CUDA_ARCH__
        return rint(x);
#else
        constexpr double rounding = 6755399441055744.0;
        return (x + rounding) - rounding;
#endif
    }
};

} // namespace chamomile
