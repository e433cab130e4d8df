/// \file  Projection of particles along a line of sight to a surface density on pixels.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A View turns the scene by `azimuth` about its z axis, then by `inclination` about the x axis of
/// the picture (degrees). The picture's x points right, y up, z to the observer: inclination 0
/// looks down the scene's z axis, 90 along +y.
class View {
public:
    View(double azimuth, double inclination);
    Vec3<double> operator()(const Vec3<double>& r) const;

private:
    double cos_azimuth_, sin_azimuth_, cos_inclination_, sin_inclination_;
};

/// A ProjectedPoint is a point of the picture plane with a weight, already turned and centred.
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

/// Returns the surface density of points on a grid centred on (0, 0) that is `field_of_view` wide.
/// Each point is spread over a quadratic B-spline whose cell has the smallest size, between one
/// pixel and 1/16 of the picture, that holds about 8 points; sizes between powers of two blend two
/// of them. Mass is conserved for points whose kernel lies in the picture. The bits are the same
/// for any number of threads and any order of the points, because sums are taken in fixed point.
SurfaceDensity project(std::span<const ProjectedPoint> points, int width, int height,
                       double field_of_view);

/// Returns the largest density of a single point of this mass, spread over the widest cell.
/// Darker parts of a picture show single points.
double density_of_one(double mass, const SurfaceDensity& picture);

} // namespace chamomile
