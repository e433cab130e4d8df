/// \file  Published fits of the halo mass function.
#pragma once

#include "chamomile/initial/cosmology/linear_power.hpp"

namespace chamomile {

/// A MassFunctionFit is a published fit.
enum class MassFunctionFit {
    sheth_tormen, ///< Sheth & Tormen (1999), eq. 10 with a = 0.707, p = 0.3, A = 0.3222
    warren,       ///< Warren et al. (2006), eq. 5: friends of friends, b = 0.2
    watson,       ///< Watson et al. (2013), eqs. 11 and 12: friends of friends, b = 0.2
    tinker        ///< Tinker et al. (2008), eqs. 3 and 5 to 8: spheres of 200 mean densities
};

/// Returns f(sigma) in dn/dlnM = f rho_m / M dln(1/sigma)/dlnM. Only Tinker's fit depends on
/// redshift.
double multiplicity(MassFunctionFit fit, double sigma, double redshift);

/// A MassFunction is the number of halos per comoving volume and ln M.
class MassFunction {
public:
    /// Keeps a reference to `linear`.
    MassFunction(const LinearPower& linear, const Background& background, double redshift);

    /// Returns dn/dlnM in (h/Mpc)^3 for a mass in Msun/h.
    double operator()(MassFunctionFit fit, double mass) const;

    /// Returns the rms density contrast, at `redshift`, in spheres with mean mass `mass`.
    double sigma(double mass) const;

private:
    double radius(double mass) const;

    const LinearPower& linear_;
    double density_, growth_, redshift_;
};

} // namespace chamomile
