/// \file  Clouds: the points of a mesh that share a particle, and their weights.
#pragma once

#include <type_traits>

#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// How a particle's mass is shared among mesh points: a top hat with the width of a cell, convolved
/// with itself 0 to 3 times (Hockney & Eastwood 1981, section 5-3). The value is the number of
/// points per dimension.
enum class Assignment {
    nearest_point = 1,   ///< NGP
    cloud_in_cell = 2,   ///< CIC
    triangular = 3,      ///< TSC
    piecewise_cubic = 4, ///< PCS
};

/// Calls use(std::integral_constant<int, points>) for the kernel.
template <class Use>
void with_points(Assignment kernel, const Use& use)
{
    switch (kernel) {
    case Assignment::nearest_point:
        return use(std::integral_constant<int, 1>());
    case Assignment::cloud_in_cell:
        return use(std::integral_constant<int, 2>());
    case Assignment::triangular:
        return use(std::integral_constant<int, 3>());
    case Assignment::piecewise_cubic:
        return use(std::integral_constant<int, 4>());
    }
}

/// Coordinates in cells of a mesh with points at ((i, j, k) - shift) side / cells.
struct MeshFrame {
    Periodicity box;
    int cells;
    double shift;        ///< in [0, cells)
    double inverse_side; ///< of the box; the GPU divides slowly

    MeshFrame(Periodicity in, int with_cells, double with_shift = 0)
        : box(in), cells(with_cells), shift(with_shift), inverse_side(in.inverse_side())
    {}

    /// Returns the coordinate in cells, in [0, cells).
    CHAMOMILE_HD double in_cells(double x) const
    {
        const double u = box.wrapped(x) * (cells * inverse_side) + shift;
        return u >= cells ? u - cells : u;
    }
};

/// A Cloud holds the points first, first + 1, ... along a line and their weights, which sum to 1 up
/// to rounding.
template <int points>
struct Cloud {
    int first;
    double weight[points];
};

/// Returns the cloud of a particle at u >= 0, in cells from point 0. `first` may be -1, and the
/// last point may lie beyond u + 1.
template <int points>
CHAMOMILE_HD Cloud<points> cloud_at(double u)
{
    Cloud<points> cloud;
    if constexpr (points == 1) {
        cloud.first = int(u + 0.5);
        cloud.weight[0] = 1;
    } else if constexpr (points == 2) {
        const int i = int(u);
        const double d = u - i;
        cloud.first = i;
        cloud.weight[0] = 1 - d;
        cloud.weight[1] = d;
    } else if constexpr (points == 3) {
        const int i = int(u + 0.5);
        const double d = u - i;
        cloud.first = i - 1;
        cloud.weight[0] = 0.5 * (0.5 - d) * (0.5 - d);
        cloud.weight[1] = 0.75 - d * d;
        cloud.weight[2] = 0.5 * (0.5 + d) * (0.5 + d);
    } else {
        static_assert(points == 4);
        constexpr double sixth = 1 / 6.;
        const int i = int(u);
        const double d = u - i, e = 1 - d;
        cloud.first = i - 1;
        cloud.weight[0] = e * e * e * sixth;
        cloud.weight[1] = (4 - d * d * (6 - 3 * d)) * sixth;
        cloud.weight[2] = (4 - e * e * (6 - 3 * e)) * sixth;
        cloud.weight[3] = d * d * d * sixth;
    }
    return cloud;
}

/// Derivatives of a cloud's weights by u. They sum to 0 up to rounding.
template <int points>
struct CloudSlopes {
    double of[points];
};

/// Returns the derivatives of the weights of cloud_at(u).
template <int points>
CHAMOMILE_HD CloudSlopes<points> cloud_slopes_at(double u)
{
    const double d = u - int(points % 2 ? u + 0.5 : u), e = 1 - d;
    if constexpr (points == 1)
        return {{0}};
    else if constexpr (points == 2)
        return {{-1, 1}};
    else if constexpr (points == 3)
        return {{d - 0.5, -2 * d, d + 0.5}};
    else
        return {{-0.5 * e * e, 0.5 * d * (3 * d - 4), 0.5 * e * (4 - 3 * e), 0.5 * d * d}};
}

/// A Cloud with points wrapped to 0 ... n - 1 on a periodic line, n >= points.
template <int points>
struct WrappedCloud {
    int point[points];
    double weight[points];
};

/// Returns the wrapped cloud of a particle at u in [0, n), in cells from point 0.
template <int points>
CHAMOMILE_HD WrappedCloud<points> wrapped_cloud_at(double u, int n)
{
    const Cloud<points> cloud = cloud_at<points>(u);
    WrappedCloud<points> wrapped;
    for (int p = 0; p < points; ++p) {
        const int i = cloud.first + p;
        wrapped.point[p] = i < 0 ? i + n : i >= n ? i - n : i;
        wrapped.weight[p] = cloud.weight[p];
    }
    return wrapped;
}

} // namespace chamomile
