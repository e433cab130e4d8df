#include "chamomile/initial/models/disk_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chamomile {
namespace {

double surface_density(double radius)
{
    return std::exp(-radius) / (2 * std::numbers::pi);
}

} // namespace

DiskKinematics::DiskKinematics(const ExponentialDiskField& field, double height,
                               const SphericalPotential& spheres, double toomre_q)
    : height_(height), radii_(field.radii()), heights_(field.heights())
{
    const std::size_t n = radii_.size(), m = heights_.size();
    std::vector<double> speed_squared(n);
    for (std::size_t i = 1; i < n; ++i)
        speed_squared[i] = radii_[i] * field.inward(i) + spheres.mass(radii_[i]) / radii_[i];
    for (double v2 : speed_squared)
        circular_speed_.push_back(std::sqrt(v2));

    // kappa^2 = 2 v_c^2 / R^2 + (d v_c^2 / dR) / R
    epicyclic_.resize(n);
    for (std::size_t i = 1; i < n; ++i) {
        const std::size_t above = std::min(i + 1, n - 1);
        const double slope =
            (speed_squared[above] - speed_squared[i - 1]) / (radii_[above] - radii_[i - 1]);
        epicyclic_[i] =
            std::sqrt(2 * speed_squared[i] / (radii_[i] * radii_[i]) + slope / radii_[i]);
    }
    epicyclic_[0] = epicyclic_[1];

    double central = 0; // central sigma_R
    for (std::size_t i = 1; i < n; ++i)
        if (radii_[i] > 0.5 && radii_[i] < 5)
            central = std::max(central, toomre_q * 3.36 * surface_density(radii_[i]) /
                                            (epicyclic_[i] * std::exp(-0.5 * radii_[i])));
    for (std::size_t i = 0; i < n; ++i) {
        const double r = radii_[i], sigma = central * std::exp(-0.5 * r);
        // (sigma_phi / sigma_R)^2 = kappa^2 / 4 Omega^2, 1 where the rotation is rigid
        const double ratio =
            i == 0 ? 1 : 0.25 * epicyclic_[i] * epicyclic_[i] * r * r / speed_squared[i];
        radial_.push_back(sigma);
        azimuthal_.push_back(sigma * std::sqrt(ratio));
        streaming_.push_back(
            std::sqrt(std::max(0.0, speed_squared[i] + sigma * sigma * (1 - ratio - 2 * r))));
    }

    // sigma_z^2 = int_z^infinity rho K_z dz / rho with rho ~ sech^2(z / height)
    vertical_.resize(n * m);
    std::vector<double> weighted(m), density(m);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
            const double z = heights_[j] * height_, r = norm(Vec3<double>{radii_[i], 0, z});
            const double spherical = r > 0 ? spheres.mass(r) * z / (r * r * r) : 0;
            const double cosh = std::cosh(heights_[j]);
            density[j] = 1 / (cosh * cosh);
            weighted[j] = density[j] * std::max(0.0, field.downward(i, j) + spherical);
        }
        double integral = 0;
        vertical_[i * m + m - 1] = weighted[m - 1] / density[m - 1] * 0.5 * height_; // exp(-2 z)
        for (std::size_t j = m - 1; j-- > 0;) {
            integral +=
                0.5 * (weighted[j] + weighted[j + 1]) * (heights_[j + 1] - heights_[j]) * height_;
            vertical_[i * m + j] =
                (integral + vertical_[i * m + m - 1] * density[m - 1]) / density[j];
        }
    }
}

double DiskKinematics::at(const std::vector<double>& table, double radius) const
{
    const std::size_t k = interval_of(radii_, radius);
    const double part = std::min(1.0, (radius - radii_[k]) / (radii_[k + 1] - radii_[k]));
    return table[k] + part * (table[k + 1] - table[k]);
}

double DiskKinematics::vertical_variance(double radius, double height) const
{
    const std::size_t m = heights_.size(), j = interval_of(heights_, height);
    const std::size_t i = interval_of(radii_, radius);
    const double u = std::min(1.0, (radius - radii_[i]) / (radii_[i + 1] - radii_[i]));
    const double v = std::min(1.0, (height - heights_[j]) / (heights_[j + 1] - heights_[j]));
    const double* below = &vertical_[i * m + j];
    const double* above = below + m;
    return (1 - u) * ((1 - v) * below[0] + v * below[1]) + u * ((1 - v) * above[0] + v * above[1]);
}

double DiskKinematics::circular_speed(double radius) const
{
    return at(circular_speed_, radius);
}

double DiskKinematics::toomre_q(double radius) const
{
    return at(radial_, radius) * at(epicyclic_, radius) / (3.36 * surface_density(radius));
}

Vec3<double> DiskKinematics::draw(RandomStream& random, const Vec3<double>& position) const
{
    const double radius = norm(Vec3<double>{position.x, position.y, 0});
    const double outward = at(radial_, radius) * random.normal();
    const double around = at(streaming_, radius) + at(azimuthal_, radius) * random.normal();
    const double up =
        std::sqrt(vertical_variance(radius, std::abs(position.z) / height_)) * random.normal();
    const double c = position.x / radius, s = position.y / radius;
    return {outward * c - around * s, outward * s + around * c, up};
}

} // namespace chamomile
