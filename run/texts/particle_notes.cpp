#include "chamomile/run/texts/particle_notes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "chamomile/core/bounds.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/accuracy/box_ranges.hpp"
#include "chamomile/force/accuracy/limit_search.hpp"
#include "chamomile/integrate/suggested_softening.hpp"
#include "chamomile/run/texts/method_text.hpp"

namespace chamomile {
namespace {

constexpr double min_part = 1e-30;                          ///< relative to the total mass
constexpr double rounding = 1e-6;                           ///< of coordinates, in box sides
constexpr double large_extent = 1e7, largest_extent = 1e18; ///< in softening lengths
constexpr double farthest = 1e9;                            ///< in box sides

std::string masses_text(const Particles& particles)
{
    const double total = std::accumulate(particles.mass.begin(), particles.mass.end(), 0.0);
    std::size_t count = 0;
    double min = total;
    for (double mass : particles.mass)
        if (mass > 0 && mass < min_part * total) {
            ++count;
            min = std::min(min, mass);
        }
    if (count == 0)
        return "";
    return formatted("%zu particles have less than %g of the total mass %.3g, min mass %.3g: "
                     "forces by them vanish; check the units",
                     count, min_part, total, min);
}

std::string extent_text(std::size_t count, ParticleReader& rows, double softening)
{
    if (softening == 0)
        return "";
    Box box;
    if (const std::optional<Box> known = rows.bounds())
        box = *known;
    else
        rows.for_blocks(count, [&](std::size_t begin, std::size_t end) {
            box.add(bounds_of(rows.read_vectors(Column::position, {begin, end})).box);
        });
    const double extent = count > 0 ? box.longest_side() : 0;
    if (extent > 0 && softening > extent)
        return formatted("the softening length %.4g is %.3g times the extent of the particles: "
                         "forces are nearly 0; check the units",
                         softening, softening / extent);
    if (!(extent > large_extent * softening) || extent > 1e300)
        return ""; // the solver refuses values that overflow
    const std::string text =
        formatted("extent of positions: %.3g, %.2g times the softening length %g", extent,
                  extent / softening, softening);
    if (extent > largest_extent * softening)
        throw Error(Fault::input, text + ": must be at most 1e18 times, for double precision");
    return text + "; check the units, or find the distant particle";
}

/// Returns a line if the softening is far from the suggested one, for example a number in another
/// unit.
std::string softening_text(const Snapshot& snapshot, const Softening& softening)
{
    constexpr double largest = 10, min = 1e-2;
    constexpr std::size_t fewest = 100; // particles; softening suits larger numbers
    if (softening.length == 0 || softening.per_particle || snapshot.particles.size() < fewest)
        return "";
    const double suits = suggested_softening(snapshot.particles, *rows_of(snapshot)),
                 ratio = softening.length / suits;
    if (!(suits > 0) || (ratio <= largest && ratio >= min))
        return "";
    return "softening: eps " + length_text(softening.length, snapshot.units) +
           formatted(": %.2g times the length suggested by the distances of particles, ", ratio) +
           with_unit(formatted("%.2g", suits), dimensions::length, snapshot.units) +
           "; check the units";
}

/// Returns the median circular speed around the potential's center at a sample of particles.
double circular_speed(const Potential& potential, const Snapshot& snapshot)
{
    constexpr std::size_t max = 256;
    const std::shared_ptr<ParticleReader> rows = rows_of(snapshot);
    const std::size_t n = snapshot.particles.size(), count = std::min(n, max);
    std::vector<Vec3<double>> place, pull(count);
    for (std::size_t k = 0; k < count; ++k)
        place.push_back(
            rows->read_vectors(Column::position, {k * n / count, k * n / count + 1}).front());
    ExternalField({potential}, "potential").add(snapshot.time, place, {}, pull, {});
    const Vec3<double> center = potential.center_at(snapshot.time).position;
    std::vector<double> speed;
    for (std::size_t k = 0; k < count; ++k)
        speed.push_back(std::sqrt(norm(pull[k]) * norm(place[k] - center)));
    const auto middle = speed.begin() + std::ptrdiff_t(count / 2);
    std::nth_element(speed.begin(), middle, speed.end());
    return count > 0 ? *middle : 0;
}

} // namespace

Outside outside(const Snapshot& snapshot, double side)
{
    Outside found;
    const auto beyond = [side](const Vec3<double>& low, const Vec3<double>& high) {
        return std::max(-std::min({low.x, low.y, low.z}) / side,
                        std::max({high.x, high.y, high.z}) / side - 1);
    };
    const std::shared_ptr<ParticleReader> rows = rows_of(snapshot);
    if (const std::optional<Box> box = rows->bounds();
        box && beyond(box->low, box->high) <= rounding)
        return found;
    rows->for_blocks(snapshot.particles.size(), [&](std::size_t begin, std::size_t end) {
        const std::span<const Vec3<double>> block =
            rows->read_vectors(Column::position, {begin, end});
        std::size_t particles = 0;
        double sides = 0;
#pragma omp parallel for reduction(+ : particles) reduction(max : sides) if (block.size() > worth_threads)
        for (const Vec3<double>& x : block) {
            particles += beyond(x, x) > rounding;
            sides = std::max(sides, beyond(x, x));
        }
        found.particles += particles;
        found.sides = std::max(found.sides, sides);
    });
    return found;
}

std::string outside_text(const Outside& outside)
{
    if (outside.particles == 0)
        return "";
    return formatted("%zu particles are outside the periodic box, by at most %.3g of the side: "
                     "images inside the box are used",
                     outside.particles, outside.sides);
}

void require_places(const Outside& outside)
{
    if (outside.sides > farthest)
        throw Error(
            Fault::input,
            formatted("positions: %zu particles are outside the periodic box, by at most %.3g of "
                      "the side: must be at most 1e9, for double precision: units or box are wrong",
                      outside.particles, outside.sides));
}

void add_note(Snapshot& snapshot, const std::string& line)
{
    if (!line.empty() &&
        std::find(snapshot.notes.begin(), snapshot.notes.end(), line) == snapshot.notes.end())
        snapshot.notes.push_back(line);
}

void warn_of_outside(Snapshot& snapshot)
{
    if (snapshot.box_size > 0)
        add_note(snapshot, outside_text(outside(snapshot, snapshot.box_size)));
}

void warn_of_fast_potentials(Snapshot& snapshot, const ExternalField& field)
{
    constexpr double fast = 3000; // km/s
    for (const Potential& potential : field.potentials()) {
        if (!snapshot.units.physical || potential.shape == PotentialShape::rotation)
            continue;
        const double speed =
            circular_speed(potential, snapshot) * snapshot.units.velocity_in_cm_per_s / 1e5;
        if (speed > fast)
            add_note(snapshot, formatted("potential %s: circular speed above %.3g km/s for half of "
                                         "the particles; check the units",
                                         potential.asked.c_str(), speed));
    }
}

/// Returns a note if mesh and cut cause larger errors than the tolerance, with ranges that fit.
std::string tolerance_text(const SolverOptions& solver)
{
    constexpr double fraction = 0.3;
    if (!solver.is_periodic() || solver.solver != SolverKind::tree || solver.accuracy ||
        solver.periodic.long_range != LongRangeKind::mesh ||
        !compares_accelerations(solver.criterion))
        return "";
    const double of_tree = LimitLaw::of(solver.criterion).error_at(solver.tolerance),
                 of_ranges = error_of_ranges(solver.periodic);
    if (!(of_tree < fraction * of_ranges))
        return "";
    SolverOptions fitting = solver;
    set_ranges(fitting, {}, of_tree);
    return formatted("{tolerance} %g: mesh and cut decide, with a 99 %% error of about %.2g; for a "
                     "smaller one give {accuracy}, or {split}=%.3g and {cut}=%.3g",
                     solver.tolerance, of_ranges, fitting.periodic.split, fitting.periodic.cut);
}

void warn_of_suspicious_inputs(Snapshot& snapshot, const SolverOptions& solver)
{
    for (const std::string& line : suspicious_inputs(snapshot, solver))
        add_note(snapshot, line);
}

std::vector<std::string> suspicious_inputs(const Snapshot& snapshot, const SolverOptions& solver)
{
    const Particles& particles = snapshot.particles;
    std::vector<std::string> lines{
        masses_text(particles),
        extent_text(particles.size(), *rows_of(snapshot), solver.softening.length)};
    if (lines.back().empty())
        lines.push_back(softening_text(snapshot, solver.softening));
    if (solver.is_periodic()) {
        const Outside found = outside(snapshot, solver.box);
        require_places(found);
        lines.push_back(outside_text(found));
    }
    const bool by_angle =
        solver.criterion == Criterion::geometric || solver.criterion == Criterion::minimum_distance;
    if (solver.solver == SolverKind::tree && by_angle && solver.theta > 1)
        lines.push_back(formatted("theta %g: force errors in a Plummer sphere are 0.6 %% rms and 9 "
                                  "%% at most with 1.5, 0.03 and 0.2 %% with 0.6",
                                  solver.theta));
    lines.push_back(tolerance_text(solver));
    std::erase(lines, "");
    return lines;
}

} // namespace chamomile
