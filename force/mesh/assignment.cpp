#include "chamomile/force/mesh/assignment.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <string>

#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

/// Min number of points per column along x and y, on meshes with 16 or more cells. From 3 on the
/// clouds of columns two apart never touch.
constexpr int column_width = 8;

/// Prefetch distance for positions, in particles.
constexpr std::size_t ahead = 16;

/// Returns the first point of column c of `columns`.
int first_point(int c, int columns, int cells)
{
    return int(std::int64_t(c) * cells / columns);
}

/// Returns sin(pi k / n) / (pi k / n).
double sinc(int k, int n)
{
    const double x = M_PI * k / n;
    return k == 0 ? 1 : std::sin(x) / x;
}

} // namespace

double assignment_window(Assignment kernel, int kx, int ky, int kz, int n)
{
    return std::pow(sinc(kx, n) * sinc(ky, n) * sinc(kz, n), int(kernel));
}

MassAssignment::MassAssignment(Assignment kernel, Periodicity box, int cells, double shift)
    : kernel_(kernel), frame_{box, cells, shift - cells * std::floor(shift / cells)}
{
    if (!(box.side > 0) || !std::isfinite(box.side))
        throw Error(Fault::usage, "box: " + std::to_string(box.side) + ": must be above 0");
    if (cells < 4 || cells > 32768)
        throw Error(Fault::usage, "mesh: " + std::to_string(cells) + ": must be 4 to 32768");
    columns_ = std::max(2, cells / column_width / 2 * 2);
}

void MassAssignment::sort(std::size_t n, const ArrayView& position, const ArrayView& mass)
{
    const std::size_t count = std::size_t(columns_) * std::size_t(columns_);
    std::vector<int> column_of_point(std::size_t(frame_.cells) + 1);
    for (int c = 0; c < columns_; ++c)
        for (int i = first_point(c, columns_, frame_.cells);
             i < first_point(c + 1, columns_, frame_.cells); ++i)
            column_of_point[std::size_t(i)] = c;
    column_of_point[std::size_t(frame_.cells)] = columns_ - 1;

    order_.resize(n);
    column_.resize(n);
    const int threads = n < worth_threads ? 1 : omp_get_max_threads();
    std::vector<std::size_t> counts(std::size_t(threads) * count);
    std::size_t wrong = n;
    first_.assign(count + 1, 0);
#pragma omp parallel num_threads(threads)
    {
        // The team may be smaller than requested; parts depend on its true size.
        const std::size_t team = std::size_t(omp_get_num_threads()),
                          part = std::size_t(omp_get_thread_num());
        const std::size_t begin = n * part / team, end = n * (part + 1) / team;
        std::size_t* own = counts.data() + part * count;
        for (std::size_t i = begin; i < end; ++i) {
            const double x = position.load(i, 0), y = position.load(i, 1), z = position.load(i, 2);
            if (!std::isfinite(x + y + z + (mass ? mass.load(i) : 0))) {
#pragma omp critical(chamomile_mesh_position)
                wrong = std::min(wrong, i);
                column_[i] = 0;
            } else
                column_[i] =
                    std::uint32_t(column_of_point[std::size_t(frame_.in_cells(x))] * columns_ +
                                  column_of_point[std::size_t(frame_.in_cells(y))]);
            ++own[column_[i]];
        }
#pragma omp barrier
#pragma omp single
        {
            std::size_t sum = 0;
            for (std::size_t c = 0; c < count; ++c) {
                first_[c] = sum;
                for (std::size_t t = 0; t < team; ++t) {
                    const std::size_t many = counts[t * count + c];
                    counts[t * count + c] = sum;
                    sum += many;
                }
            }
            assert(sum == n);
            first_[count] = sum;
        }
        for (std::size_t i = begin; i < end; ++i)
            order_[own[column_[i]]++] = std::uint32_t(i);
    }
    if (wrong < n)
        throw Error(Fault::input,
                    "particle " + item(wrong) + ": position and mass: must be finite");
}

/// Calls add(point, share) for each share of each particle, of its mass times `scale`.
template <class T, class Add>
void MassAssignment::assign(std::size_t n, const ArrayView& position, const ArrayView& mass,
                            double scale, Grid<T>& grid, const MeshRows& rows, const Add& add)
{
    if (grid.side() != frame_.cells)
        throw Error(Fault::usage, "mesh: " + std::to_string(grid.side()) + ": must be " +
                                      std::to_string(frame_.cells));
    sort(n, position, mass);
    grid.fill(0);
    const auto add_column = [&](auto points, std::size_t column) {
        for (std::size_t p = first_[column]; p < first_[column + 1]; ++p) {
            if (p + ahead < n)
                __builtin_prefetch(position.at(order_[p + ahead], 0));
            const std::size_t i = order_[p];
            const auto x =
                wrapped_cloud_at<points>(frame_.in_cells(position.load(i, 0)), frame_.cells);
            const auto y =
                wrapped_cloud_at<points>(frame_.in_cells(position.load(i, 1)), frame_.cells);
            const auto z =
                wrapped_cloud_at<points>(frame_.in_cells(position.load(i, 2)), frame_.cells);
            const double m = mass ? scale * mass.load(i) : scale;
            for (int a = 0; a < points; ++a)
                for (int b = 0; b < points; ++b) {
                    T* row = grid.data() + rows.at(x.point[a], y.point[b]);
                    const double w = m * x.weight[a] * y.weight[b];
                    for (int c = 0; c < points; ++c)
                        add(row[z.point[c]], w * z.weight[c]);
                }
        }
    };
    with_points(kernel_, [&](auto points) {
        // A cloud reaches at most 2 points beyond its column, so that columns two apart never
        // touch. With only 2 x 2 columns each gets a separate round.
        const int half = columns_ / 2;
        for (int round = 0; round < 4; ++round)
#pragma omp parallel for collapse(2) schedule(dynamic)
            for (int a = 0; a < half; ++a)
                for (int b = 0; b < half; ++b)
                    add_column(points,
                               std::size_t((2 * a + round / 2) * columns_ + 2 * b + round % 2));
    });
}

template <class T>
void MassAssignment::assign(std::size_t n, const ArrayView& position, const ArrayView& mass,
                            Grid<T>& grid)
{
    assign(n, position, mass, 1, grid, {grid.side(), grid.row()},
           [](T& point, double share) { point += T(share); });
}

void MassAssignment::assign_integers(std::size_t n, const ArrayView& position,
                                     const ArrayView& mass, double scale, Grid<double>& grid,
                                     const MeshRows& rows)
{
    static_assert(std::bit_cast<std::int64_t>(0.) == 0);
    assign(n, position, mass, scale, grid, rows, [](double& point, double share) {
        const auto nearest = std::int64_t(share + std::copysign(0.5, share));
        point = std::bit_cast<double>(std::bit_cast<std::int64_t>(point) + nearest);
    });
}

template <class T>
void MassAssignment::interpolate(const Grid<T>& field, std::size_t n, const ArrayView& position,
                                 std::span<double> value) const
{
    const int first = field.planes().begin;
    with_points(kernel_, [&](auto points) {
#pragma omp parallel for schedule(static) if (n >= worth_threads)
        for (std::size_t i = 0; i < n; ++i) {
            auto x = wrapped_cloud_at<points>(frame_.in_cells(position.load(i, 0)), frame_.cells);
            for (int& plane : x.point)
                plane += plane < first ? frame_.cells : 0;
            const auto y =
                wrapped_cloud_at<points>(frame_.in_cells(position.load(i, 1)), frame_.cells);
            const auto z =
                wrapped_cloud_at<points>(frame_.in_cells(position.load(i, 2)), frame_.cells);
            double sum = 0;
            for (int a = 0; a < points; ++a)
                for (int b = 0; b < points; ++b) {
                    const T* row = &field(x.point[a], y.point[b], 0);
                    const double w = x.weight[a] * y.weight[b];
                    for (int c = 0; c < points; ++c)
                        sum += w * z.weight[c] * double(row[z.point[c]]);
                }
            value[i] = sum;
        }
    });
}

template void MassAssignment::assign(std::size_t, const ArrayView&, const ArrayView&, Grid<float>&);
template void MassAssignment::assign(std::size_t, const ArrayView&, const ArrayView&,
                                     Grid<double>&);
template void MassAssignment::interpolate(const Grid<float>&, std::size_t, const ArrayView&,
                                          std::span<double>) const;
template void MassAssignment::interpolate(const Grid<double>&, std::size_t, const ArrayView&,
                                          std::span<double>) const;

} // namespace chamomile
