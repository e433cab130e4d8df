#include "chamomile/initial/cosmology/initial_conditions.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/mesh/assignment.hpp"
#include "chamomile/initial/cosmology/displacements.hpp"
#include "chamomile/initial/cosmology/glass.hpp"

namespace chamomile {
namespace {

void check(const InitialConditionsOptions& o)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    if (!(o.side > 0) || !std::isfinite(o.side))
        refuse("box: " + number_text(o.side) + ": must be > 0");
    if (o.particles < 2 || o.particles > 1625 || o.particles % 2 != 0)
        refuse("particles along a side: " + std::to_string(o.particles) +
               ": must be an even number from 2 to 1624"); // 1626^3 exceeds the range of Index
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

/// Returns the unperturbed positions, in order of ids.
std::vector<Vec3<double>> undisturbed(const InitialConditionsOptions& o)
{
    const std::size_t n = std::size_t(o.particles);
    if (o.load == ParticleLoad::glass)
        return tiled_glass(o.glass, o.particles / o.glass, o.side);
    std::vector<Vec3<double>> places(n * n * n);
    const double spacing = o.side / double(n);
#pragma omp parallel for schedule(static)
    for (std::size_t p = 0; p < places.size(); ++p)
        places[p] = {double(p / (n * n)) * spacing, double(p / n % n) * spacing,
                     double(p % n) * spacing};
    return places;
}

/// A Reader evaluates a mesh field at the particles: point by point for a grid, by interpolation
/// from a finer mesh for a glass.
class Reader {
public:
    Reader(const InitialConditionsOptions& o, const std::vector<Vec3<double>>& places)
        : is_grid_(o.load == ParticleLoad::grid), places_(places),
          cloud_(Assignment::piecewise_cubic, {o.side}, 2 * std::max(o.particles, 4)),
          values_(is_grid_ ? 0 : places.size())
    {}

    /// For a glass, divides a spectrum by the assignment window, to compensate the smoothing of
    /// interpolation.
    void sharpen(Grid<double>& spectrum) const
    {
        const int n = spectrum.side();
        if (!is_grid_)
            spectrum.for_each_mode([&](int kx, int ky, int kz, std::complex<double>& mode) {
                mode /= assignment_window(cloud_.kernel(), kx, ky, kz, n);
            });
    }

    /// Calls take(particle, value) for all particles.
    template <class Take>
    void read(const Grid<double>& field, const Take& take)
    {
        const std::size_t n = std::size_t(field.side());
        if (!is_grid_)
            cloud_.interpolate(field, places_.size(), view_of(std::span(places_)), values_);
#pragma omp parallel for schedule(static)
        for (std::size_t p = 0; p < places_.size(); ++p)
            take(p, is_grid_ ? field(int(p / (n * n)), int(p / n % n), int(p % n)) : values_[p]);
    }

private:
    bool is_grid_;
    const std::vector<Vec3<double>>& places_;
    MassAssignment cloud_;
    std::vector<double> values_;
};

double& component(Vec3<double>& v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Returns the initial linear density as a spectrum, on the particle mesh for a grid, on a finer
/// mesh with the same modes for a glass.
Grid<double> linear_density(const InitialConditionsOptions& o, double factor)
{
    const LinearPower power(o.power);
    require_reach(power, o);
    const int n = o.particles;
    Grid<double> density(o.load == ParticleLoad::grid ? n : 2 * n);
    fill_gaussian_field(density, o.side, power, factor, o.field);
    if (o.load == ParticleLoad::glass)
        density.for_each_mode([&](int kx, int ky, int kz, std::complex<double>& mode) {
            if (2 * std::abs(kx) >= n || 2 * std::abs(ky) >= n || 2 * kz >= n)
                mode = 0;
        });
    return density;
}

} // namespace

Particles make_initial_conditions(const InitialConditionsOptions& o, double gravitational_constant)
{
    check(o);
    const Background& background = o.power.background;
    const double a = scale_factor_of(o.redshift);
    validate(background, std::min(a, 1.), std::max(a, 1.));
    const Growth start = growth(background, a), today = growth(background, 1);

    Grid<double> phi = linear_density(o, std::pow(start.D1 / today.D1, 2));
    solve_poisson(phi, o.side);
    std::vector<Vec3<double>> places = undisturbed(o);
    Reader reader(o, places);

    Particles particles;
    const std::size_t n = places.size();
    particles.resize(n);
    particles.position = places;
    const double critical = 3 * 100. * 100. / (8 * std::numbers::pi * gravitational_constant);
    const double mass = background.omega_matter * critical * std::pow(o.side, 3) / double(n);
    for (std::size_t p = 0; p < n; ++p) {
        particles.id[p] = p + 1;
        particles.mass[p] = mass;
    }

    const Fourier<double> fourier(phi.side());
    Grid<double> field(phi.side());
    const double expansion = 100 * background.expansion(a); // km/s per Mpc/h
    const auto displace = [&](Grid<double>& potential, double factor, double growth_rate) {
        reader.sharpen(potential);
        for (int axis = 0; axis < 3; ++axis) {
            displacement(potential, axis, fourier, o.side, field);
            reader.read(field, [&](std::size_t p, double value) {
                component(particles.position[p], axis) += factor * value;
                component(particles.velocity[p], axis) +=
                    a * expansion * growth_rate * factor * value;
            });
        }
    };
    if (o.order == 2) { // phi scales with D1, second order with D1^2
        Grid<double> second = second_order_potential(phi, fourier, o.side);
        displace(second, start.D2 / (start.D1 * start.D1), start.f2);
    }
    displace(phi, 1, start.f1);
    for (Vec3<double>& x : particles.position)
        x = Periodicity{o.side}.wrapped(x);
    return particles;
}

} // namespace chamomile
