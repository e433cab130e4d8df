#include "chamomile/initial/models/equilibrium_sphere.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/core/text/table.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

/// Returns y at x, interpolated between two neighbouring entries.
double interpolate(const std::vector<double>& xs, const std::vector<double>& ys, double x)
{
    const std::size_t k = interval_of(xs, x);
    return ys[k] + (x - xs[k]) / (xs[k + 1] - xs[k]) * (ys[k + 1] - ys[k]);
}

std::vector<double> logarithms(std::vector<double> values)
{
    for (double& value : values)
        value = std::log(value);
    return values;
}

const char* kind_of(const EquilibriumTerms& terms)
{
    return std::isinf(terms.anisotropy_radius) ? "isotropic" : "Osipkov-Merritt";
}

/// Relative size of negative f that rounding and table steps may cause.
constexpr double rounding = 1e-4;
/// Inside the radius of this mass fraction, negative f is set to zero.
constexpr double negligible = 1e-6;

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
    const double power = std::log(density[1] / density[0]) / std::log(radii[1] / radii[0]);
    mass[0] = per_log_radius(0) * (power < -0.1 ? 1 / (3 + power) : (1 - power / 5) / 3);
    for (std::size_t k = 1; k < radii.size(); ++k) {
        const double low = per_log_radius(k - 1), high = per_log_radius(k);
        const double ratio = low > 0 && high > 0 ? std::log(high / low) : 0;
        const double mean = std::abs(ratio) > 1e-4 ? (high - low) / ratio : 0.5 * (low + high);
        mass[k] = mass[k - 1] + std::log(radii[k] / radii[k - 1]) * mean;
    }
    return mass;
}

EquilibriumSphere::EquilibriumSphere(const SphericalPotential& potential,
                                     const DensityTable& density, const EquilibriumTerms& terms)
    : anisotropy_radius_(terms.anisotropy_radius), radii_(potential.radii()),
      psi_(potential.psis()), inside_(enclosed_mass(radii_, density.density))
{
    const std::size_t n = radii_.size();
    mass_ = inside_.back();
    for (double& mass : inside_)
        mass /= mass_;
    if (terms.truncation < radii_.back()) {
        largest_part_ = std::exp(interpolate(radii_, logarithms(inside_), terms.truncation));
        mass_ *= largest_part_;
    }

    // The tables run inward, so that energies ascend. Entry 0 is infinity, with psi = rho = 0. With
    // anisotropy, (1 + r^2 / r_a^2) rho replaces rho.
    std::vector<double> slope(n + 1); // d rho / d psi
    energies_.assign(n + 1, 0);
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t outer = n - 1 - k;
        const double r = radii_[outer], square = 1 / (anisotropy_radius_ * anisotropy_radius_);
        const double augmented =
            (1 + r * r * square) * density.slope[outer] + 2 * r * square * density.density[outer];
        energies_[k + 1] = psi_[outer];
        slope[k + 1] = -augmented * r * r / potential.masses()[outer];
    }
    // f(Q) = 1 / (sqrt(8) pi^2) int_0^Q (d^2 rho / d psi^2) d psi / sqrt(Q - psi), with the second
    // derivative constant between neighboring radii.
    std::vector<double> distribution(n + 1), size(n + 1);
    parallel_loop(n, 64, [&](std::size_t before) {
        const std::size_t i = before + 1;
        double sum = 0, absolute = 0;
        for (std::size_t k = 0; k < i; ++k) {
            const double low = energies_[k], high = energies_[k + 1];
            const double term = (slope[k + 1] - slope[k]) / (high - low) * 2 *
                                (std::sqrt(energies_[i] - low) - std::sqrt(energies_[i] - high));
            sum += term;
            absolute += std::abs(term);
        }
        distribution[i] = sum / (std::sqrt(8.0) * pi * pi);
        size[i] = absolute / (std::sqrt(8.0) * pi * pi);
    });
    const double floor = 1e-40 * *std::max_element(distribution.begin(), distribution.end());
    log_distribution_.assign(n + 1, std::log(floor));
    for (std::size_t i = 1; i <= n; ++i) {
        if (!(distribution[i] >= -rounding * size[i]) && !(inside_[n - i] < negligible))
            throw Error(Fault::usage, terms.name + ": distribution function: negative at r = " +
                                          formatted("%.4g", radii_[n - i]) + ": no " +
                                          kind_of(terms) +
                                          " equilibrium for these masses and lengths");
        log_distribution_[i] = std::log(std::max(distribution[i], floor));
        if (size[i] == 0) // outside the sphere
            min_energy_ = energies_[i];
    }

    bound_.resize(n);
    parallel_loop(n, 64, [&](std::size_t k) { bound_[k] = speed_bound(psi_[k]); });
}

double EquilibriumSphere::distribution(double q) const
{
    return std::exp(interpolate(energies_, log_distribution_, q));
}

/// Returns an upper bound of x^2 f over 0 < x < 1: 1.05 times the max of 256 values.
double EquilibriumSphere::speed_bound(double psi) const
{
    double largest = 0;
    for (int i = 0; i < 256; ++i) {
        const double root = (i + 0.5) / 256, x = root * root; // denser at low speeds
        largest = std::max(largest, x * x * distribution(psi - x * x * (psi - min_energy_)));
    }
    return 1.05 * largest;
}

EquilibriumSphere::Draw EquilibriumSphere::draw(RandomStream& random) const
{
    const double mass = largest_part_ * random.uniform();
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
    double x = 0, height = 0;
    do {
        x = random.uniform();
        height = bound * random.uniform();
    } while (height >= x * x * distribution(psi - x * x * (psi - min_energy_)));
    const Vec3<double> v = random.direction(x * std::sqrt(2 * (psi - min_energy_)));
    // f is isotropic in v_r and sqrt(1 + r^2 / r_a^2) v_t.
    const Vec3<double> radial = (dot(v, position) / norm_squared(position)) * position;
    const double narrower = 1 / std::sqrt(1 + (r / anisotropy_radius_) * (r / anisotropy_radius_));
    return {position, radial + narrower * (v - radial)};
}

} // namespace chamomile
