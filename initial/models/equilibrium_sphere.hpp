/// \file  Spheres in equilibrium in any spherical potential.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "chamomile/core/random.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns n radii for the tables, in equal steps of log r.
std::vector<double> logarithmic_radii(double smallest, double largest, std::size_t n = 2048);

/// Returns k in [0, n - 2] with table[k] <= x < table[k + 1] for an ascending table.
std::size_t interval_of(const std::vector<double>& ascending, double x);

/// A SphericalPotential is a spherical field, G = 1, computed from the mass inside each radius.
class SphericalPotential {
public:
    /// `mass[k]` is the total mass inside `radii[k]`. No mass lies beyond the last radius.
    SphericalPotential(std::vector<double> radii, std::vector<double> mass);

    const std::vector<double>& radii() const { return radii_; }
    const std::vector<double>& masses() const { return mass_; }
    const std::vector<double>& psis() const { return psi_; }
    double mass(double r) const; ///< inside r
    double psi(double r) const;  ///< minus the potential, positive, 0 at infinity

private:
    std::vector<double> radii_, mass_, psi_;
};

/// A DensityTable holds the density of a sphere and its derivative at given radii.
struct DensityTable {
    std::vector<double> density, slope; ///< rho and d rho / dr
};

/// Returns the mass inside each radius. The density is a power law between neighboring radii.
/// Inside the first radius it is a cusp, or a core, rho = rho_0 (1 - c r^2).
std::vector<double> enclosed_mass(const std::vector<double>& radii,
                                  const std::vector<double>& density);

/// EquilibriumTerms selects one equilibrium of a density.
struct EquilibriumTerms {
    std::string name; ///< name of the component in messages
    /// r_a of Osipkov (1979) and Merritt (1985): beta = 1 - sigma_t^2 / sigma_r^2 = r^2 / (r^2 +
    /// r_a^2). The sphere is isotropic at infinity.
    double anisotropy_radius = std::numeric_limits<double>::infinity();
    double truncation = std::numeric_limits<double>::infinity(); ///< max radius of particles
};

/// An EquilibriumSphere computes the distribution function f(Q), Q = E - L^2 / (2 r_a^2), of a
/// density in a potential (Eddington 1916; Merritt 1985; Binney & Tremaine 2008, eqs. 4.46b and
/// 4.78), and draws particles from it.
class EquilibriumSphere {
public:
    /// Throws Error(usage) if f is negative anywhere outside the innermost 1e-6 of the mass: no
    /// equilibrium exists then. Inside this radius negative f is set to zero.
    EquilibriumSphere(const SphericalPotential& potential, const DensityTable& density,
                      const EquilibriumTerms& terms);

    /// Returns the distribution function (mass per phase-space volume) at Q > 0.
    double distribution(double q) const;

    /// Returns the mass inside the truncation radius.
    double mass() const { return mass_; }

    struct Draw {
        Vec3<double> position, velocity;
    };
    Draw draw(RandomStream& random) const;

private:
    double speed_bound(double psi) const;

    double anisotropy_radius_, mass_, largest_part_ = 1;
    double min_energy_ = 0; ///< f vanishes below
    // All tables run over the radii of the potential, reversed if an ascending table is needed.
    std::vector<double> radii_, psi_, inside_;        // inside_: mass fraction inside
    std::vector<double> energies_, log_distribution_; // ascending in energy
    std::vector<double> bound_; // upper bound of x^2 f(psi - x^2 (psi - least)), 0 < x < 1
};

} // namespace chamomile
