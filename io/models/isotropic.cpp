#include "chamomile/io/models/isotropic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "chamomile/core/error.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

/// Returns y at x, interpolated between two neighbouring entries.
double interpolate(const std::vector<double>& xs, const std::vector<double>& ys, double x)
{
    const std::size_t k = interval_of(xs, x);
    return ys[k] + (x - xs[k]) / (xs[k + 1] - xs[k]) * (ys[k + 1] - ys[k]);
}

} // namespace

std::vector<double> logarithmic_radii(double smallest, double largest, std::size_t n)
{
    std::vector<double> radii(n);
    for (std::size_t k = 0; k < n; ++k)
        radii[k] = smallest * std::pow(largest / smallest, double(k) / double(n - 1));
    return radii;
}

std::size_t interval_of(const std::vector<double>& ascending, double x)
{
    const auto above = std::upper_bound(ascending.begin() + 1, ascending.end() - 1, x);
    return std::size_t(above - ascending.begin()) - 1;
}

SphericalPotential::SphericalPotential(std::vector<double> radii, std::vector<double> mass)
    : radii_(std::move(radii)), mass_(std::move(mass)), psi_(radii_.size())
{
    const std::size_t n = radii_.size();
    psi_[n - 1] = mass_[n - 1] / radii_[n - 1];
    for (std::size_t k = n - 1; k-- > 0;) { // d psi / d ln r = -M / r
        const double step = std::log(radii_[k + 1] / radii_[k]);
        psi_[k] = psi_[k + 1] + 0.5 * step * (mass_[k] / radii_[k] + mass_[k + 1] / radii_[k + 1]);
    }
}

double SphericalPotential::mass(double r) const
{
    if (r >= radii_.back())
        return mass_.back();
    if (r <= radii_.front())
        return mass_.front() * (r / radii_.front()) * (r / radii_.front());
    return interpolate(radii_, mass_, r);
}

double SphericalPotential::psi(double r) const
{
    if (r >= radii_.back())
        return mass_.back() / r;
    return r <= radii_.front() ? psi_.front() : interpolate(radii_, psi_, r);
}

std::vector<double> enclosed_mass(const std::vector<double>& radii,
                                  const std::vector<double>& density)
{
    const auto per_log_radius = [&](std::size_t k) {
        return 4 * pi * radii[k] * radii[k] * radii[k] * density[k];
    };
    std::vector<double> mass(radii.size());
    mass[0] = 0.5 * per_log_radius(0);
    for (std::size_t k = 1; k < radii.size(); ++k)
        mass[k] = mass[k - 1] + 0.5 * std::log(radii[k] / radii[k - 1]) *
                                    (per_log_radius(k - 1) + per_log_radius(k));
    return mass;
}

IsotropicSphere::IsotropicSphere(const SphericalPotential& potential, const DensityTable& density,
                                 const char* component)
    : radii_(potential.radii()), psi_(potential.psis()),
      inside_(enclosed_mass(radii_, density.density))
{
    const std::size_t n = radii_.size();
    for (double& mass : inside_)
        mass /= inside_.back();

    // The tables go from the outside in, so that energies ascend; entry 0 is infinity, where psi
    // and rho vanish.
    std::vector<double> slope(n + 1); // d rho / d psi
    energies_.assign(n + 1, 0);
    for (std::size_t k = 0; k < n; ++k) {
        const double r = radii_[n - 1 - k];
        energies_[k + 1] = psi_[n - 1 - k];
        slope[k + 1] = -density.slope[n - 1 - k] * r * r / potential.masses()[n - 1 - k];
    }
    // f(E) = 1 / (sqrt(8) pi^2) int_0^E (d^2 rho / d psi^2) d psi / sqrt(E - psi), with the second
    // derivative constant from one radius to the next.
    std::vector<double> distribution(n + 1);
#pragma omp parallel for schedule(dynamic, 64)
    for (std::size_t i = 1; i <= n; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < i; ++k) {
            const double low = energies_[k], high = energies_[k + 1];
            sum += (slope[k + 1] - slope[k]) / (high - low) * 2 *
                   (std::sqrt(energies_[i] - low) - std::sqrt(energies_[i] - high));
        }
        distribution[i] = sum / (std::sqrt(8.0) * pi * pi);
    }
    log_distribution_.assign(n + 1, -std::numeric_limits<double>::max());
    for (std::size_t i = 1; i <= n; ++i) {
        const double tail = 1e-12 * distribution[n]; // far below any particle's
        if (!(distribution[i] > -tail))
            throw Error(Fault::usage,
                        std::string(component) + ": distribution function: negative at r = " +
                            std::to_string(radii_[n - i]) +
                            ": no isotropic equilibrium exists for these masses and lengths");
        log_distribution_[i] = std::log(std::max(distribution[i], 1e-30 * distribution[n]));
    }
    log_distribution_[0] = log_distribution_[1];

    bound_.resize(n);
#pragma omp parallel for
    for (std::size_t k = 0; k < n; ++k)
        bound_[k] = isotropic_speed_bound(
            psi_[k], [this](double energy) { return this->distribution(energy); });
}

double IsotropicSphere::distribution(double energy) const
{
    return std::exp(interpolate(energies_, log_distribution_, energy));
}

IsotropicSphere::Draw IsotropicSphere::draw(RandomStream& random) const
{
    const double mass = random.uniform();
    double r = radii_.front() * std::sqrt(mass / inside_.front()), psi = psi_.front();
    double bound = bound_.front();
    if (mass > inside_.front()) {
        const std::size_t k = interval_of(inside_, mass);
        const double part = (mass - inside_[k]) / (inside_[k + 1] - inside_[k]);
        r = radii_[k] * std::pow(radii_[k + 1] / radii_[k], part);
        psi = psi_[k] + part * (psi_[k + 1] - psi_[k]);
        bound = std::max(bound_[k], bound_[k + 1]);
    }
    const Vec3<double> position = random.direction(r);
    const double x = draw_isotropic_speed(random, psi, bound,
                                          [this](double energy) { return distribution(energy); });
    return {position, random.direction(x * std::sqrt(2 * psi))};
}

} // namespace chamomile
