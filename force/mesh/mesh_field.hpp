/// \file  The field on a mesh at a particle, by interpolation or by differences.
#pragma once

#include <cstddef>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/force/mesh/cloud.hpp"

namespace chamomile {

/// The rows of a mesh of n^3 points, in which k runs fastest. Rows may be padded, and a part of
/// them may lie in any order.
struct MeshRows {
    int n;
    std::size_t length;           ///< of a row, in numbers
    const Index* place = nullptr; ///< place[i n + j]: of row (i, j); null: i n + j

    /// Returns where row (i, j) begins.
    CHAMOMILE_HD std::size_t at(int i, int j) const
    {
        const std::size_t row = std::size_t(i) * std::size_t(n) + std::size_t(j);
        return (place ? place[row] : row) * length;
    }
};

/// A MeshField is the long range on a mesh.
template <class T>
struct MeshField {
    MeshRows rows;
    const T* potential = nullptr; ///< null: not wanted
    const T* component[3] = {};   ///< acceleration; null: use differences of the potential
    double cells_per_length = 0;
};

struct FieldAt {
    Vec3<double> acceleration;
    double potential;
};

/// A particle's cloud along the three axes.
template <int points>
struct CloudInSpace {
    WrappedCloud<points> x, y, z;
};

/// Returns the field interpolated with the assignment kernel.
template <int points, class T>
CHAMOMILE_HD FieldAt interpolated(const CloudInSpace<points>& cloud, const MeshField<T>& field)
{
    FieldAt sum{};
    for (int a = 0; a < points; ++a)
        for (int b = 0; b < points; ++b) {
            const std::size_t row = field.rows.at(cloud.x.point[a], cloud.y.point[b]);
            const T *x = field.component[0] + row, *y = field.component[1] + row,
                    *z = field.component[2] + row;
            const double w = cloud.x.weight[a] * cloud.y.weight[b];
            for (int c = 0; c < points; ++c) {
                const double weight = w * cloud.z.weight[c];
                const int k = cloud.z.point[c];
                sum.acceleration.x += weight * double(x[k]);
                sum.acceleration.y += weight * double(y[k]);
                sum.acceleration.z += weight * double(z[k]);
                if (field.potential)
                    sum.potential += weight * double(field.potential[row + std::size_t(k)]);
            }
        }
    return sum;
}

/// Points and weights of a cloud plus two more points on either side. `weight` is for the field
/// itself (0 at the outer points), `slope` for its 4-point differences, in inverse cells.
template <int points>
struct Stencil {
    int point[points + 4];
    double weight[points + 4], slope[points + 4];

    CHAMOMILE_HD Stencil(const WrappedCloud<points>& cloud, int n)
    {
        for (int p = 0; p < points + 4; ++p) {
            const int i = cloud.point[0] + p - 2;
            point[p] = i < 0 ? i + n : i >= n ? i - n : i;
            weight[p] = is_inside(p) ? cloud.weight[p - 2] : 0;
            slope[p] = 0;
        }
        for (int p = 0; p < points; ++p) {
            const double w = cloud.weight[p];
            slope[p + 3] += w * (2 / 3.);
            slope[p + 1] -= w * (2 / 3.);
            slope[p + 4] -= w * (1 / 12.);
            slope[p] += w * (1 / 12.);
        }
    }
    static CHAMOMILE_HD bool is_inside(int p) { return p >= 2 && p < points + 2; }
};

/// Returns the potential interpolated with the assignment kernel, and its negative 4-point
/// differences.
template <int points, class T>
CHAMOMILE_HD FieldAt differentiated(const CloudInSpace<points>& cloud, const MeshField<T>& field)
{
    const int n = field.rows.n;
    const Stencil<points> x(cloud.x, n), y(cloud.y, n), z(cloud.z, n);
    FieldAt sum{};
    for (int a = 0; a < points + 4; ++a)
        for (int b = 0; b < points + 4; ++b) {
            const bool in_x = x.is_inside(a), in_y = y.is_inside(b);
            if (!in_x && !in_y)
                continue;
            const T* row = field.potential + field.rows.at(x.point[a], y.point[b]);
            double along = 0, slope = 0;
            for (int c = 2; c < points + 2; ++c)
                along += z.weight[c] * double(row[z.point[c]]);
            sum.acceleration.x -= x.slope[a] * y.weight[b] * along;
            sum.acceleration.y -= x.weight[a] * y.slope[b] * along;
            if (in_x && in_y) {
                for (int c = 0; c < points + 4; ++c)
                    slope += z.slope[c] * double(row[z.point[c]]);
                sum.acceleration.z -= x.weight[a] * y.weight[b] * slope;
                sum.potential += x.weight[a] * y.weight[b] * along;
            }
        }
    sum.acceleration = field.cells_per_length * sum.acceleration;
    return sum;
}

/// Returns the field at a position, from the components if present, else by differences.
template <int points, class T>
CHAMOMILE_HD FieldAt field_at(const Vec3<double>& position, const MeshFrame& frame,
                              const MeshField<T>& field)
{
    const CloudInSpace<points> cloud{
        wrapped_cloud_at<points>(frame.in_cells(position.x), frame.cells),
        wrapped_cloud_at<points>(frame.in_cells(position.y), frame.cells),
        wrapped_cloud_at<points>(frame.in_cells(position.z), frame.cells)};
    return field.component[0] ? interpolated(cloud, field) : differentiated(cloud, field);
}

/// A source of a field with a loss: its mass, dL/da and dL/dphi.
struct SourceOfLoss {
    Vec3<double> position;
    double mass;
    Vec3<double> lambda;
    double mu;
};

struct GradientAt {
    Vec3<double> position;
    double mass;
};

/// Returns the gradient of a loss at a source: dL/dm is Psi with its cloud's weights, and dL/dx has
/// the cloud's slopes with m Psi + lambda . a + mu phi. Needs the components, and for mu the
/// potential.
template <int points, class T>
CHAMOMILE_HD GradientAt gradient_at(const SourceOfLoss& own, const MeshFrame& frame,
                                    const MeshField<T>& field, const T* psi)
{
    WrappedCloud<points> cloud[3];
    CloudSlopes<points> slope[3];
    const double place[3] = {own.position.x, own.position.y, own.position.z};
    for (int d = 0; d < 3; ++d) {
        const double u = frame.in_cells(place[d]);
        cloud[d] = wrapped_cloud_at<points>(u, frame.cells);
        slope[d] = cloud_slopes_at<points>(u);
    }
    GradientAt sum{};
#ifdef __CUDA_ARCH__
#pragma unroll // registers have no index
#endif
    for (int row_of_cloud = 0; row_of_cloud < points * points; ++row_of_cloud) {
        const int a = row_of_cloud / points, b = row_of_cloud % points;
        const std::size_t row = field.rows.at(cloud[0].point[a], cloud[1].point[b]);
        double psi_along = 0, along = 0, along_slope = 0;
        for (int c = 0; c < points; ++c) {
            const std::size_t k = row + std::size_t(cloud[2].point[c]);
            const double of_psi = double(psi[k]);
            double value = own.mass * of_psi + own.lambda.x * double(field.component[0][k]) +
                           own.lambda.y * double(field.component[1][k]) +
                           own.lambda.z * double(field.component[2][k]);
            if (field.potential)
                value += own.mu * double(field.potential[k]);
            psi_along += cloud[2].weight[c] * of_psi;
            along += cloud[2].weight[c] * value;
            along_slope += slope[2].of[c] * value;
        }
        const double wx = cloud[0].weight[a], wy = cloud[1].weight[b];
        sum.mass += wx * wy * psi_along;
        sum.position += Vec3<double>{slope[0].of[a] * wy * along, wx * slope[1].of[b] * along,
                                     wx * wy * along_slope};
    }
    sum.position = field.cells_per_length * sum.position;
    return sum;
}

} // namespace chamomile
