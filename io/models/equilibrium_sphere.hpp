/// \file  Spheres in equilibrium in any spherical potential.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
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

/// Returns the mass inside each radius, of a density that runs as a power of r from one radius to
/// the next. Inside the first it is a cusp, or a core whose density falls with r^2.
std::vector<double> enclosed_mass(const std::vector<double>& radii,
                                  const std::vector<double>& density);

/// EquilibriumTerms say which of the equilibria of a density is meant.
struct EquilibriumTerms {
    std::string name; ///< of the component, for messages
    /// r_a of Osipkov (1979) and Merritt (1985): beta = 1 - sigma_t^2 / sigma_r^2 = r^2 / (r^2 +
    /// r_a^2). The sphere is isotropic at infinity.
    double anisotropy_radius = std::numeric_limits<double>::infinity();
    double truncation = std::numeric_limits<double>::infinity(); ///< the largest radius drawn
};

/// An EquilibriumSphere has the one distribution function f(Q), Q = E - L^2 / (2 r_a^2), of a
/// density in a potential (Eddington 1916; Merritt 1985; Binney & Tremaine 2008, eqs. 4.46b and
/// 4.78), and draws particles from it.
class EquilibriumSphere {
public:
    /// Throws Error(usage) if the distribution function is negative, that is, if no such
    /// equilibrium exists; where no more than 1e-6 of the mass lies inside it is set to zero
    /// instead.
    EquilibriumSphere(const SphericalPotential& potential, const DensityTable& density,
                      const EquilibriumTerms& terms);

    /// Returns the distribution function (mass per phase-space volume) at Q > 0.
    double distribution(double q) const;

    /// Returns the mass inside the truncation.
    double mass() const { return mass_; }

    struct Draw {
        Vec3<double> position, velocity;
    };
    Draw draw(RandomStream& random) const;

private:
    double speed_bound(double psi) const;

    double anisotropy_radius_, mass_, largest_part_ = 1;
    double least_energy_ = 0; ///< the distribution function vanishes below it
    // All tables run over the radii of the potential, reversed where an ascending table is needed.
    std::vector<double> radii_, psi_, inside_; // inside_: own mass inside, relative to the whole
    std::vector<double> energies_, log_distribution_; // ascending in energy
    std::vector<double> bound_; // of x^2 f(psi - x^2 (psi - least)) over 0 < x < 1
};

} // namespace chamomile
