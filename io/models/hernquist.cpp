#include "chamomile/io/models/hernquist.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chamomile/io/models/model.hpp"
#include "chamomile/io/models/self_energy.hpp"

namespace chamomile {

double hernquist_distribution(double energy)
{
    const double q2 = std::clamp(energy, 0.0, 1 - 1e-15), q = std::sqrt(q2), w = 1 - q2;
    const double bracket =
        3 * std::asin(q) + q * std::sqrt(w) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3);
    const double pi = std::numbers::pi;
    return bracket / (8 * std::numbers::sqrt2 * pi * pi * pi * w * w * std::sqrt(w));
}

DensityTable tapered_hernquist(const std::vector<double>& radii, double mass, double scale,
                               double taper)
{
    DensityTable table;
    for (double r : radii) {
        const double density =
            std::exp(-(r / taper) * (r / taper)) / (r * (r + scale) * (r + scale) * (r + scale));
        table.density.push_back(density);
        table.slope.push_back(-density * (1 / r + 3 / (r + scale) + 2 * r / (taper * taper)));
    }
    const double factor = mass / enclosed_mass(radii, table.density).back();
    for (std::size_t k = 0; k < radii.size(); ++k) {
        table.density[k] *= factor;
        table.slope[k] *= factor;
    }
    return table;
}

Snapshot make_hernquist(const HernquistOptions& options)
{
    require(options.truncation >= 1e-3 && std::isfinite(options.truncation), "truncation",
            options.truncation, "must be at least 0.001");
    const double root = options.truncation / (1 + options.truncation); // square root of the mass
    Snapshot snapshot = equal_mass_snapshot(options.particles, root * root, halo_type);
    snapshot.provenance = {{"model", "hernquist"}, {"seed", std::to_string(options.seed)}};

    const std::vector<double> radii = logarithmic_radii(1e-7, 1.001 * options.truncation, 512);
    std::vector<double> bounds;
    for (double r : radii)
        bounds.push_back(isotropic_speed_bound(1 / (1 + r), hernquist_distribution));

    Particles& particles = snapshot.particles;
#pragma omp parallel for
    for (std::size_t i = 0; i < particles.size(); ++i) {
        RandomStream random(options.seed, halo_type, i);
        const double s = root * std::sqrt(random.uniform()), r = s / (1 - s);
        particles.position[i] = random.direction(r);
        const std::size_t k = interval_of(radii, r);
        const double x = draw_isotropic_speed(
            random, 1 / (1 + r), 1.02 * std::max(bounds[k], bounds[k + 1]), hernquist_distribution);
        particles.velocity[i] = random.direction(x * std::sqrt(2 / (1 + r)));
    }
    move_to_barycentre(particles);
    return snapshot;
}

} // namespace chamomile
