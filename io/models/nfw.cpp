#include "chamomile/io/models/nfw.hpp"

#include <cmath>
#include <numbers>

#include "chamomile/io/models/model.hpp"
#include "chamomile/io/models/self_energy.hpp"

namespace chamomile {

DensityTable nfw_density(const std::vector<double>& radii, double concentration)
{
    const double c = concentration, decay = c / 10;
    const double mass_integral = std::log1p(c) - c / (1 + c);
    const double factor = 1 / (4 * std::numbers::pi * mass_integral);
    const double edge = factor / (c * (1 + c) * (1 + c));
    const double slope_at_edge = -(1 + 3 * c) / (1 + c); // d ln rho / d ln r
    const double power = c / decay + slope_at_edge;      // keeps the slope continuous at the edge
    DensityTable table;
    for (double r : radii) {
        double density = factor / (r * (1 + r) * (1 + r));
        double logarithmic = -(1 + 3 * r) / (r * (1 + r));
        if (r > c) {
            density = edge * std::pow(r / c, power) * std::exp(-(r - c) / decay);
            logarithmic = power / r - 1 / decay;
        }
        table.density.push_back(density);
        table.slope.push_back(density * logarithmic);
    }
    return table;
}

Snapshot make_nfw(const NfwOptions& options)
{
    const double c = options.concentration;
    require(c >= 1 && c <= 100, "concentration", c, "must be from 1 to 100");
    const std::vector<double> radii = logarithmic_radii(1e-6, 4 * c);
    const DensityTable density = nfw_density(radii, c);
    const std::vector<double> inside = enclosed_mass(radii, density.density);
    Snapshot snapshot = equal_mass_snapshot(options.particles, inside.back(), halo_type);
    snapshot.provenance = {{"model", "nfw"}, {"seed", std::to_string(options.seed)}};

    const IsotropicSphere sphere(SphericalPotential(radii, inside), density, "NFW halo");
    Particles& particles = snapshot.particles;
#pragma omp parallel for
    for (std::size_t i = 0; i < particles.size(); ++i) {
        RandomStream random(options.seed, halo_type, i);
        const IsotropicSphere::Draw draw = sphere.draw(random);
        particles.position[i] = draw.position;
        particles.velocity[i] = draw.velocity;
    }
    move_to_barycentre(particles);
    return snapshot;
}

} // namespace chamomile
