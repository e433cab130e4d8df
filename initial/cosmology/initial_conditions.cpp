#include "chamomile/initial/cosmology/initial_conditions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/mesh/assignment.hpp"
#include "chamomile/initial/cosmology/displacements.hpp"
#include "chamomile/initial/cosmology/glass.hpp"
#include "chamomile/initial/cosmology/initial_plan.hpp"
#include "chamomile/initial/cosmology/linear_power.hpp"

namespace chamomile {
namespace {

void check(const InitialConditionsOptions& o, int ranks)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    if (!(o.side > 0) || !std::isfinite(o.side))
        refuse("box: " + number_text(o.side) + ": must be > 0");
    if (o.particles < 2 || o.particles > max_particles_along_side || o.particles % 2 != 0)
        refuse("particles along a side: " + std::to_string(o.particles) +
               ": must be an even number from 2 to " + std::to_string(max_particles_along_side));
    const std::uint64_t side = std::uint64_t(o.particles), count = side * side * side;
    if (count / std::uint64_t(ranks) >= std::numeric_limits<Index>::max())
        refuse("particles along a side: " + std::to_string(o.particles) + ": " +
               std::to_string(count) + " particles: must be below 2^32 on each rank");
    if (!(o.redshift > -1) || !std::isfinite(o.redshift))
        refuse("z-start: " + number_text(o.redshift) + ": must be above -1");
    if (o.order != 1 && o.order != 2)
        refuse("order: " + std::to_string(o.order) + ": must be 1 (Zel'dovich) or 2 (2LPT)");
    if (o.load == ParticleLoad::glass && (o.glass < 2 || o.particles % o.glass != 0))
        refuse("glass: " + std::to_string(o.glass) +
               ": must divide the number of particles along a side, " +
               std::to_string(o.particles));
}

void require_reach(const LinearPower& power, const InitialConditionsOptions& o)
{
    const double unit = 2 * std::numbers::pi / o.side;
    const double max = unit * std::sqrt(3.0) * (o.particles / 2 - 1);
    // Tolerates rounding of decimal fractions: the table may start exactly at the k of the box.
    if (unit >= power.min_k() * (1 - 1e-6) && max <= power.max_k() * (1 + 1e-6))
        return;
    const bool is_table = !o.power.table.empty();
    char line[200];
    std::snprintf(line, sizeof line,
                  ": k from %.6g to %.6g h/Mpc: must reach from %.6g to %.6g for this box",
                  power.min_k(), power.max_k(), unit, max);
    throw Error(is_table ? Fault::input : Fault::usage,
                (is_table ? o.power.table.string() : "box: the transfer function's fit") + line);
}

/// A run of particle ids, from 0.
struct Run {
    std::size_t begin, end;
};

/// Returns the mesh planes that hold a run of particles with the points of their clouds.
MeshRange planes_of(const InitialFacts& facts, Run run)
{
    const bool is_glass = facts.load == ParticleLoad::glass;
    const int n = facts.particles, mesh = is_glass ? 2 * n : n;
    if (run.begin == run.end)
        return {0, 0};
    // Ids go through layers of tiles, or planes.
    const int layers = is_glass ? facts.tiles : n, thickness = mesh / layers;
    const std::size_t layer = std::size_t(n) * std::size_t(n) * std::size_t(n / layers);
    const int margin = is_glass ? 3 : 0;
    const int begin = int(run.begin / layer) * thickness - margin,
              end = (int((run.end - 1) / layer) + 1) * thickness + margin;
    if (end - begin >= mesh)
        return {0, mesh};
    return begin < 0 ? MeshRange{begin + mesh, end + mesh} : MeshRange{begin, end};
}

double& component(Vec3<double>& v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// A Reader evaluates displacements at a run of particles: point by point for a grid, by
/// interpolation from a finer mesh for a glass.
class Reader {
public:
    Reader(const InitialPlan& plan, Run run, SlabFourier<double>& fourier)
        : is_grid_(plan.facts.load == ParticleLoad::grid), side_(plan.facts.side), run_(run),
          planes_(planes_of(plan.facts, run)), fourier_(fourier),
          cloud_(Assignment::piecewise_cubic, {side_}, 2 * plan.facts.particles)
    {
        if (!is_grid_)
            places_ = tiled_glass(plan.glass, plan.facts.tiles, side_, run.begin, run.end);
    }

    /// Transforms the spectrum of a potential for read(). For a glass, divides it by the window
    /// that interpolation multiplies by.
    PlaneSpectra prepared(Grid<double> potential) const
    {
        if (!is_grid_)
            potential.for_each_mode([&](int kx, int ky, int kz, std::complex<double>& mode) {
                mode /= assignment_window(cloud_.kernel(), kx, ky, kz, potential.side());
            });
        return at_planes(std::move(potential), fourier_, side_);
    }

    /// Calls take(p, place, displacement) for the p-th particle of the run, with its unperturbed
    /// position.
    template <class Take>
    void read(PlaneSpectra spectra, const Take& take)
    {
        const int n = spectra.phi.side();
        Displacement displacement(std::move(spectra), fourier_, side_, planes_);
        if (is_grid_)
            read_points(displacement, n, take);
        else
            interpolate(displacement, take);
    }

private:
    template <class Take>
    void read_points(const Displacement& displacement, int n, const Take& take) const
    {
        const double spacing = side_ / double(n);
        const std::size_t row = std::size_t(n);
#pragma omp parallel
        {
            std::vector<Grid<double>> fields; // a plane per axis, in cache
            for (int axis = 0; axis < 3; ++axis)
                fields.emplace_back(n, MeshRange{0, 1}, MeshRange{0, n});
            const Grid<double>&x = fields[0], &y = fields[1], &z = fields[2];
#pragma omp for schedule(static)
            for (int i = planes_.begin; i < planes_.end; ++i) {
                for (int axis = 0; axis < 3; ++axis) {
                    fields[std::size_t(axis)].reshape({i, i + 1}, {0, n});
                    displacement.fill(axis, fields[std::size_t(axis)]);
                }
                for (int j = 0; j < n; ++j) {
                    const std::size_t first = (std::size_t(i) * row + std::size_t(j)) * row;
                    for (std::size_t p = std::max(first, run_.begin);
                         p < std::min(first + row, run_.end); ++p) {
                        const int k = int(p - first);
                        take(p - run_.begin, {i * spacing, j * spacing, k * spacing},
                             {x(i, j, k), y(i, j, k), z(i, j, k)});
                    }
                }
            }
        }
    }

    template <class Take>
    void interpolate(Displacement& displacement, const Take& take)
    {
        Grid<double>& field = displacement.mesh();
        std::vector<double> values(places_.size());
        std::vector<Vec3<double>> displacements(places_.size());
        for (int axis = 0; axis < 3; ++axis) {
            displacement.fill(axis, field);
            cloud_.interpolate(field, places_.size(), view_of(std::span(places_)), values);
#pragma omp parallel for schedule(static)
            for (std::size_t p = 0; p < values.size(); ++p)
                component(displacements[p], axis) = values[p];
        }
#pragma omp parallel for schedule(static)
        for (std::size_t p = 0; p < values.size(); ++p)
            take(p, places_[p], displacements[p]);
    }

    bool is_grid_;
    double side_;
    Run run_;
    MeshRange planes_;
    SlabFourier<double>& fourier_;
    std::vector<Vec3<double>> places_; ///< of a glass
    MassAssignment cloud_;
};

} // namespace

InitialPlan plan_initial_conditions(const InitialConditionsOptions& o,
                                    double gravitational_constant, int ranks)
{
    check(o, ranks);
    const Background& background = o.power.background;
    const double a = scale_factor_of(o.redshift);
    validate(background, std::min(a, 1.), std::max(a, 1.));
    const Growth start = growth(background, a), today = growth(background, 1);
    const LinearPower power(o.power);
    require_reach(power, o);
    const bool is_glass = o.load == ParticleLoad::glass;
    const double critical = 3 * 100. * 100. / (8 * std::numbers::pi * gravitational_constant);
    const double n = double(o.particles);
    const double expansion = 100 * background.expansion(a); // km/s per Mpc/h
    return {{.particles = o.particles,
             .side = o.side,
             .field = o.field,
             .order = o.order,
             .load = o.load,
             .tiles = is_glass ? o.particles / o.glass : 1,
             .mass = background.omega_matter * critical * std::pow(o.side, 3) / (n * n * n),
             .length_unit = o.length_unit,
             .second = start.D2 / (start.D1 * start.D1), // phi scales with D1, phi2 with D1^2
             .first_speed = a * expansion * start.f1,
             .second_speed = a * expansion * start.f2},
            rms_of_modes(o.particles, o.side, power, std::pow(start.D1 / today.D1, 2)),
            is_glass ? make_glass(o.glass) : std::vector<Vec3<double>>()};
}

Particles make_initial_conditions(const InitialPlan& plan, Communicator* ranks)
{
    const InitialFacts& facts = plan.facts;
    const std::size_t side = std::size_t(facts.particles), count = side * side * side;
    const Run run = ranks ? Run{ranks->first_of_run(count, ranks->rank()),
                                ranks->first_of_run(count, ranks->rank() + 1)}
                          : Run{0, count};
    SlabFourier<double> fourier(
        facts.load == ParticleLoad::grid ? facts.particles : 2 * facts.particles, ranks);
    const auto potential = [&] { // 2LPT on a glass makes it twice, to save a mesh
        Grid<double> phi = fourier.spectrum();
        fill_gaussian_field(phi, facts.particles / 2, plan.rms, facts.field);
        solve_poisson(phi, facts.side);
        return phi;
    };
    std::optional<PlaneSpectra> first;
    std::optional<Grid<double>> second;
    if (facts.order == 2) {
        SecondOrder both = second_order(potential(), fourier, facts.side);
        second = std::move(both.phi2);
        if (facts.load == ParticleLoad::grid)
            first = std::move(both.phi1);
    }
    Reader reader(plan, run, fourier);
    if (!first)
        first = reader.prepared(potential());

    Particles particles;
    const std::size_t own = run.end - run.begin;
    resize_large(own, particles.position, particles.velocity, particles.id, particles.mass);
    particles.type.resize(own, 1);
#pragma omp parallel for schedule(static)
    for (std::size_t p = 0; p < own; ++p) {
        particles.id[p] = run.begin + p + 1;
        particles.mass[p] = facts.mass;
    }
    const auto place_at = [&](std::size_t p, const Vec3<double>& x) {
        particles.position[p] = facts.length_unit * Periodicity{facts.side}.wrapped(x);
    };
    reader.read(std::move(*first),
                [&](std::size_t p, const Vec3<double>& place, const Vec3<double>& displacement) {
                    if (second)
                        particles.position[p] = displacement; // for now
                    else
                        place_at(p, place + displacement);
                    particles.velocity[p] = facts.first_speed * displacement;
                });
    if (second)
        reader.read(
            reader.prepared(std::move(*second)),
            [&](std::size_t p, const Vec3<double>& place, const Vec3<double>& displacement) {
                place_at(p, place + facts.second * displacement + particles.position[p]);
                particles.velocity[p] += facts.second_speed * facts.second * displacement;
            });
    return particles;
}

Particles make_initial_conditions(const InitialConditionsOptions& options,
                                  double gravitational_constant)
{
    return make_initial_conditions(plan_initial_conditions(options, gravitational_constant),
                                   nullptr);
}

} // namespace chamomile
