#include "chamomile/analysis/halos/linking_grid.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "chamomile/core/bounds.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {
namespace {

/// Margin for rounding in the conversion from position to cell.
constexpr double margin = 1e-9;

constexpr LinkingGrid::Coordinate max_cells_along = 1 << 21; ///< three form a key of 63 bits

[[noreturn]] void refuse(double linking_length, const std::string& allowed)
{
    char value[32];
    std::snprintf(value, sizeof value, "%.6g", linking_length);
    throw Error(Fault::usage, std::string("linking length: ") + value + ": " + allowed);
}

/// Returns a phrase on the particle farthest from the mean position, if any.
std::string farthest_text(std::span<const Vec3<double>> position)
{
    if (position.empty())
        return "";
    Vec3<double> mean;
    for (const Vec3<double>& p : position)
        mean += (1 / double(position.size())) * p;
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
        if (norm(position[i] - mean) > norm(position[farthest] - mean))
            farthest = i;
    const Vec3<double>& p = position[farthest];
    char text[160];
    std::snprintf(text, sizeof text, "; the farthest particle, number %zu, is at %.6g,%.6g,%.6g",
                  farthest + 1, p.x, p.y, p.z);
    return text;
}

} // namespace

void require_linkable(std::size_t particles, const Periodicity& periodicity, double linking_length)
{
    if (particles >= std::numeric_limits<Index>::max())
        throw Error(Fault::usage,
                    "particles: " + std::to_string(particles) + ": must be below 2^32 - 1");
    if (!(linking_length > 0) || !std::isfinite(linking_length))
        refuse(linking_length, "must be positive");
    if (periodicity && linking_length > 0.5 * periodicity.side)
        refuse(linking_length, "must be at most half the side of the box");
}

Box finite_box(std::span<const Vec3<double>> position, std::uint64_t first)
{
    const PointBounds found = bounds_of(position);
    if (found.first_not_finite < position.size())
        throw Error(Fault::input, "particle " + item(first + found.first_not_finite) +
                                      ": position: must be finite");
    return found.box;
}

LinkingGrid::LinkingGrid(std::span<const Vec3<double>> position, const Box& box,
                         const Periodicity& in, double linking_length)
    : periodicity(in), limit(linking_length * linking_length)
{
    const bool is_empty = !(box.low.x <= box.high.x);
    const double longest = periodicity ? periodicity.side : is_empty ? 0 : box.longest_side();
    const double widest = linking_length / std::sqrt(3.0) * (1 - margin);
    if (longest / widest >= double(max_cells_along - 1))
        refuse(linking_length, "must be above 1e-6 of the extent of the particles" +
                                   (periodicity ? "" : farthest_text(position)));
    if (periodicity) {
        const auto along_side = Coordinate(std::ceil(longest / widest));
        extent[0] = extent[1] = extent[2] = along_side;
        side = longest / double(along_side);
    } else {
        side = widest;
        low = is_empty ? Vec3<double>{} : box.low;
        for (int axis = 0; axis < 3 && !is_empty; ++axis) {
            const auto width = std::array{box.high.x - low.x, box.high.y - low.y,
                                          box.high.z - low.z}[std::size_t(axis)];
            extent[axis] = Coordinate(width / side) + 1;
        }
    }
    inverse_side = 1 / side;
    reach = Coordinate(linking_length / side * (1 + margin)) + 1;
}

} // namespace chamomile
