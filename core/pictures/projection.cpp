#include "chamomile/core/pictures/projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {
namespace {

constexpr double points_per_cell = 8;

/// Returns the number of cell sizes of a picture. Each size is twice the previous one.
int levels_of(int width, int height)
{
    int levels = 1;
    while ((2 << levels) * 16 <= std::max(width, height) * 2)
        ++levels;
    return levels;
}

/// A Level holds the sums of one pyramid level: cells of 2^level pixels over the picture and a
/// margin.
struct Level {
    int width = 0, height = 0;
    double scale = 0;                 ///< cells per unit of length
    std::vector<float> counts;        ///< points per cell
    std::vector<std::int64_t> masses; ///< in fixed point
};

/// A Spline holds the three weights of a quadratic B-spline. The point lies in cell `first + 1`.
struct Spline {
    int first;
    std::array<double, 3> weights;
    explicit Spline(double place)
    {
        const int cell = int(std::floor(place));
        const double d = place - cell - 0.5; // from the center of the cell
        first = cell - 1;
        weights = {0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)};
    }
};

/// Adds the integers of all ranks.
void sum_of_ranks(std::vector<std::int64_t>& values, Communicator& ranks)
{
    ranks.sum({reinterpret_cast<std::uint64_t*>(values.data()), values.size()});
}

/// A Pyramid deposits the points of all ranks on cells of several sizes.
class Pyramid {
public:
    Pyramid(int width, int height, double field_of_view, Communicator& ranks) : ranks_(ranks)
    {
        const int levels = levels_of(width, height);
        const int coarsest = 1 << (levels - 1);
        margin_ = 2 * coarsest;
        const auto padded = [&](int pixels) {
            return (pixels + 2 * margin_ + coarsest - 1) / coarsest * coarsest;
        };
        levels_.resize(std::size_t(levels));
        for (int l = 0; l < levels; ++l) {
            Level& level = levels_[std::size_t(l)];
            level.width = padded(width) >> l;
            level.height = padded(height) >> l;
            level.scale = width / field_of_view / (1 << l);
            const std::size_t cells = std::size_t(level.width) * std::size_t(level.height);
            level.counts.assign(cells, 0);
            level.masses.assign(cells, 0);
        }
        // The picture's center, in pixels from the grid's lower left corner.
        x0_ = margin_ + 0.5 * width;
        y0_ = margin_ + 0.5 * height;
    }

    /// Computes the point's coordinates in cells of level l. Returns false if its 3 x 3 cells are
    /// not all inside the grid.
    bool place(const ProjectedPoint& point, int l, double& x, double& y) const
    {
        const Level& level = levels_[std::size_t(l)];
        x = point.x * level.scale + x0_ / (1 << l);
        y = point.y * level.scale + y0_ / (1 << l);
        return x >= 1 && y >= 1 && x < level.width - 1 && y < level.height - 1;
    }

    void count(std::span<const ProjectedPoint> points)
    {
        Level& finest = levels_[0];
        std::vector<std::int64_t>& counts = finest.masses; // borrowed: integers add in any order
#pragma omp parallel for
        for (std::size_t i = 0; i < points.size(); ++i) {
            double x, y;
            if (!place(points[i], 0, x, y))
                continue;
            std::int64_t& cell =
                counts[std::size_t(int(y)) * std::size_t(finest.width) + std::size_t(int(x))];
#pragma omp atomic
            ++cell;
        }
        sum_of_ranks(counts, ranks_);
        std::copy(counts.begin(), counts.end(), finest.counts.begin());
        std::fill(counts.begin(), counts.end(), 0);
        for (std::size_t l = 1; l < levels_.size(); ++l) {
            const Level& fine = levels_[l - 1];
            Level& coarse = levels_[l];
            for (int y = 0; y < coarse.height * 2; ++y)
                for (int x = 0; x < coarse.width * 2; ++x)
                    coarse.counts[std::size_t(y / 2) * std::size_t(coarse.width) +
                                  std::size_t(x / 2)] +=
                        fine.counts[std::size_t(y) * std::size_t(fine.width) + std::size_t(x)];
        }
    }

    /// Returns the fractional level with about `points_per_cell` points per cell around the point.
    double level_of(const ProjectedPoint& point) const
    {
        double finer = 0;
        for (int l = 0; l < int(levels_.size()); ++l) {
            double x, y;
            if (!place(point, l, x, y))
                break;
            const Level& level = levels_[std::size_t(l)];
            const Spline sx(x), sy(y);
            double number = 0;
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t i = 0; i < 3; ++i)
                    number +=
                        sx.weights[i] * sy.weights[j] *
                        double(
                            level.counts[std::size_t(sy.first + int(j)) * std::size_t(level.width) +
                                         std::size_t(sx.first + int(i))]);
            if (number >= points_per_cell)
                return l == 0 ? 0
                              : l - std::log(number / points_per_cell) / std::log(number / finer);
            finer = std::max(number, 1e-3);
        }
        return double(levels_.size() - 1);
    }

    void deposit(std::span<const ProjectedPoint> points)
    {
        ExactSums<double> total;
        total.add(0, points.size(), [&](std::size_t k) { return points[k].mass; });
        ranks_.sum(total);
        unit_ = std::max(total.value(), 1e-300) * 0x1p-61;
#pragma omp parallel for schedule(dynamic, 4096)
        for (std::size_t i = 0; i < points.size(); ++i) {
            double x, y;
            if (!place(points[i], 0, x, y))
                continue;
            const double level = level_of(points[i]);
            const int l = std::min(int(level), int(levels_.size()) - 1);
            const double coarse = level - l;
            spread(points[i], l, (1 - coarse) * points[i].mass);
            if (coarse > 0)
                spread(points[i], l + 1, coarse * points[i].mass);
        }
        for (Level& level : levels_)
            sum_of_ranks(level.masses, ranks_);
    }

    /// Returns the sum of all levels on the finest grid, in mass per pixel. A quadratic B-spline is
    /// the sum of half-width B-splines with weights 1/4, 3/4, 3/4, 1/4 per direction (Chaikin
    /// 1974).
    std::vector<double> sum(int width, int height) const
    {
        std::vector<double> grid = masses_of(levels_.back());
        for (std::size_t l = levels_.size() - 1; l-- > 0;) {
            const Level &coarse = levels_[l + 1], &fine = levels_[l];
            std::vector<double> finer = masses_of(fine);
#pragma omp parallel for
            for (int y = 0; y < fine.height; ++y)
                for (int x = 0; x < fine.width; ++x) {
                    const int cx = x / 2,
                              nx = std::clamp(x % 2 ? cx + 1 : cx - 1, 0, coarse.width - 1);
                    const int cy = y / 2,
                              ny = std::clamp(y % 2 ? cy + 1 : cy - 1, 0, coarse.height - 1);
                    const auto at = [&](int i, int j) {
                        return grid[std::size_t(j) * std::size_t(coarse.width) + std::size_t(i)];
                    };
                    finer[std::size_t(y) * std::size_t(fine.width) + std::size_t(x)] +=
                        0.25 * (0.75 * (0.75 * at(cx, cy) + 0.25 * at(nx, cy)) +
                                0.25 * (0.75 * at(cx, ny) + 0.25 * at(nx, ny)));
                }
            grid = std::move(finer);
        }
        std::vector<double> picture(std::size_t(width) * std::size_t(height));
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) // rows of the picture run downwards
                picture[std::size_t(height - 1 - y) * std::size_t(width) + std::size_t(x)] =
                    grid[std::size_t(y + margin_) * std::size_t(levels_[0].width) +
                         std::size_t(x + margin_)];
        return picture;
    }

private:
    void spread(const ProjectedPoint& point, int l, double mass)
    {
        double x, y;
        while (!place(point, l, x, y) && l > 0)
            --l;
        Level& level = levels_[std::size_t(l)];
        const Spline sx(x), sy(y);
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t i = 0; i < 3; ++i) {
                const auto share = std::int64_t(mass * sx.weights[i] * sy.weights[j] / unit_);
                std::int64_t& cell =
                    level.masses[std::size_t(sy.first + int(j)) * std::size_t(level.width) +
                                 std::size_t(sx.first + int(i))];
#pragma omp atomic
                cell += share;
            }
    }

    std::vector<double> masses_of(const Level& level) const
    {
        std::vector<double> masses(level.masses.size());
        for (std::size_t k = 0; k < masses.size(); ++k)
            masses[k] = double(level.masses[k]) * unit_;
        return masses;
    }

    Communicator& ranks_;
    std::vector<Level> levels_;
    int margin_ = 0;
    double x0_ = 0, y0_ = 0, unit_ = 1;
};

} // namespace

View::View(double azimuth, double inclination)
{
    const double degree = std::numbers::pi / 180;
    cos_azimuth_ = std::cos(azimuth * degree);
    sin_azimuth_ = std::sin(azimuth * degree);
    cos_inclination_ = std::cos(inclination * degree);
    sin_inclination_ = std::sin(inclination * degree);
}

Vec3<double> View::operator()(const Vec3<double>& r) const
{
    const double x = cos_azimuth_ * r.x - sin_azimuth_ * r.y;
    const double y = sin_azimuth_ * r.x + cos_azimuth_ * r.y;
    return {x, cos_inclination_ * y + sin_inclination_ * r.z,
            cos_inclination_ * r.z - sin_inclination_ * y};
}

SurfaceDensity project(std::span<const ProjectedPoint> points, int width, int height,
                       double field_of_view, Communicator* ranks)
{
    Communicator alone;
    Pyramid pyramid(width, height, field_of_view, ranks ? *ranks : alone);
    pyramid.count(points);
    pyramid.deposit(points);
    if (ranks && ranks->rank() > 0)
        return {width, height, field_of_view / width, {}};
    SurfaceDensity density{width, height, field_of_view / width, pyramid.sum(width, height)};
    const double area = density.pixel_size * density.pixel_size;
    for (double& value : density.values)
        value /= area;
    return density;
}

double density_of_one(double mass, const SurfaceDensity& picture)
{
    const double cell = picture.pixel_size * (1 << (levels_of(picture.width, picture.height) - 1));
    return mass * std::pow(Spline(0.5).weights[1] / cell, 2);
}

} // namespace chamomile
