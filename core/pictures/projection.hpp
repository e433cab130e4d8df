/// \file  Projection of particles along a line of sight to a surface density on pixels.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

class Communicator;

/// A View rotates the scene by `azimuth` about its z axis, then by `inclination` about the
/// picture's x axis (degrees). The picture's x points right, y up, z to the observer. Inclination 0
/// looks down the scene's z axis, 90 along +y.
class View {
public:
    View(double azimuth, double inclination);
    Vec3<double> operator()(const Vec3<double>& r) const;

private:
    double cos_azimuth_, sin_azimuth_, cos_inclination_, sin_inclination_;
};

/// A ProjectedPoint is a weighted point in the picture plane, rotated and centered.
struct ProjectedPoint {
    double x, y, mass;
};

/// A SurfaceDensity is mass per area on width x height square pixels, rows from top to bottom.
struct SurfaceDensity {
    int width, height;
    double pixel_size; ///< in units of length
    std::vector<double> values;
    double& at(int x, int y)
    {
        return values[std::size_t(y) * std::size_t(width) + std::size_t(x)];
    }
    double at(int x, int y) const
    {
        return values[std::size_t(y) * std::size_t(width) + std::size_t(x)];
    }
};

/// Returns the surface density of points on a grid centered on (0, 0), `field_of_view` wide. Each
/// point is spread over a quadratic B-spline. Its cell is the smallest, between one pixel and 1/16
/// of the picture, with about 8 points; two cell sizes are blended between powers of two. Mass is
/// conserved if the kernel lies inside the picture. The result is bitwise independent of the number
/// of threads and ranks and the order of points (fixed-point sums). Collective if `ranks` is not
/// null; other ranks than 0 return no values.
SurfaceDensity project(std::span<const ProjectedPoint> points, int width, int height,
                       double field_of_view, Communicator* ranks = nullptr);

/// Returns the peak density of a single point of this mass, spread over the widest cell. Darker
/// parts of a picture show single points.
double density_of_one(double mass, const SurfaceDensity& picture);

} // namespace chamomile
