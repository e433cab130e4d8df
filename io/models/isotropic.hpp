/// \file  Isotropic spheres in equilibrium in any spherical potential.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "chamomile/core/random.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns the radii of all tables, in equal steps of log r. G = 1 throughout.
std::vector<double> logarithmic_radii(double smallest, double largest, std::size_t n = 2048);

/// Returns the index k with table[k] <= x < table[k + 1] of an ascending table, within [0, n - 2].
std::size_t interval_of(const std::vector<double>& ascending, double x);

/// A SphericalPotential follows from the mass inside each radius.
class SphericalPotential {
public:
    /// `mass[k]` is the whole mass inside `radii[k]`; beyond the last radius there is none.
    SphericalPotential(std::vector<double> radii, std::vector<double> mass);

    const std::vector<double>& radii() const { return radii_; }
    const std::vector<double>& masses() const { return mass_; }
    const std::vector<double>& psis() const { return psi_; }
    double mass(double r) const; ///< inside r
    double psi(double r) const;  ///< minus the potential, positive, 0 at infinity

private:
    std::vector<double> radii_, mass_, psi_;
};

/// A DensityTable holds the density of a sphere and its slope, as tables over radii.
struct DensityTable {
    std::vector<double> density, slope; ///< rho and d rho / dr
};

/// Returns the mass inside each radius of a density that runs as 1/r inside the first.
std::vector<double> enclosed_mass(const std::vector<double>& radii,
                                  const std::vector<double>& density);

/// An IsotropicSphere has the one isotropic distribution function of a density in a potential
/// (Eddington 1916; Binney & Tremaine 2008, eq. 4.46b), and draws particles from it.
class IsotropicSphere {
public:
    /// Throws Error(usage) naming `component` if the distribution function is negative somewhere,
    /// that is, if no isotropic equilibrium exists.
    IsotropicSphere(const SphericalPotential& potential, const DensityTable& density,
                    const char* component);

    /// Returns the distribution function (mass per phase-space volume) at binding energy E > 0.
    double distribution(double energy) const;

    struct Draw {
        Vec3<double> position, velocity;
    };
    Draw draw(RandomStream& random) const;

private:
    // All tables run over the radii of the potential, reversed where an ascending table is needed.
    std::vector<double> radii_, psi_, inside_; // inside_: own mass inside, relative to the whole
    std::vector<double> energies_, log_distribution_; // ascending in energy
    std::vector<double> bound_;                       // of x^2 f(psi (1 - x^2)) over 0 < x < 1
};

/// Returns a speed in units of the escape speed at psi, drawn from x^2 f(psi (1 - x^2)) by
/// rejection.
template <class Distribution>
double draw_isotropic_speed(RandomStream& random, double psi, double bound, const Distribution& f)
{
    for (;;) {
        const double x = random.uniform(), height = bound * random.uniform();
        if (height < x * x * f(psi * (1 - x) * (1 + x)))
            return x;
    }
}

/// Returns an upper bound of x^2 f(psi (1 - x^2)) over 0 < x < 1, 5 % above the largest of 256
/// values.
template <class Distribution>
double isotropic_speed_bound(double psi, const Distribution& f)
{
    double largest = 0;
    for (int i = 0; i < 256; ++i) {
        const double root = (i + 0.5) / 256, x = root * root; // denser at low speeds
        largest = std::max(largest, x * x * f(psi * (1 - x) * (1 + x)));
    }
    return 1.05 * largest;
}

} // namespace chamomile
