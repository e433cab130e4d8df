#include "chamomile/force/accuracy/box_ranges.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/force/periodic/long_range_field.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"

namespace chamomile {
namespace {

constexpr double at = 1e-3;             // error for which the default split and cut are made
constexpr double power_of_split = 4.5;  // errors of a mesh with PCS go as split^-4.5
constexpr double cut_per_decade = 0.76; // of the error, in r_s
constexpr double min_split = 0.75, max_split = 10;
constexpr double min_cut = 3, max_cut_in_float = 6.5, max_cut = 7;

/// Rounds down to a number that people can type again.
double short_number(double x)
{
    return std::floor(1000 * x) / 1000;
}

} // namespace

void set_ranges(SolverOptions& options, const AccuracyGoal& goal, double error)
{
    const PeriodicOptions usual;
    PeriodicOptions& periodic = options.periodic;
    const bool in_float = options.precision == Precision::single_precision;
    if (!goal.cut)
        periodic.cut = short_number(std::clamp(usual.cut - cut_per_decade * std::log10(error / at),
                                               min_cut, in_float ? max_cut_in_float : max_cut));
    if (goal.split || periodic.long_range != LongRangeKind::mesh)
        return;
    periodic.split =
        std::clamp(usual.split * std::pow(error / at, -1 / power_of_split), min_split, max_split);
    if (periodic.mesh > 0)
        periodic.split =
            std::min(periodic.split, max_of_periodic_box * periodic.mesh / periodic.cut);
    periodic.split = short_number(periodic.split);
}

double error_of_ranges(const PeriodicOptions& periodic)
{
    const PeriodicOptions usual;
    const double of_cut = at * std::pow(10, (usual.cut - periodic.cut) / cut_per_decade);
    if (periodic.long_range != LongRangeKind::mesh)
        return of_cut;
    return std::max(of_cut, at * std::pow(periodic.split / usual.split, -power_of_split));
}

int mesh_for(SolverOptions options, const AccuracyGoal& goal, double cells, std::size_t particles,
             const Softening& softening)
{
    constexpr double margin = 0.3; // of the goal, by which a search may aim lower
    constexpr int min_mesh = 16;
    options.periodic.mesh = 0;
    set_ranges(options, goal, margin * goal.error);
    const int mesh = with_mesh(options.periodic, options.box, particles, cells).mesh;
    set_ranges(options, goal, goal.error);
    const double needed = harmless_cut(softening, 0.5 * goal.error),
                 in_cells = options.periodic.split * options.periodic.cut;
    if (!(needed * mesh > in_cells * options.box))
        return mesh;
    return std::max(min_mesh, 2 * int(in_cells * options.box / needed / 2));
}

} // namespace chamomile
