/// \file  Dielectrics between charges. Each one computes the Coulomb energy per product of two
/// charges, u(r), and r u'(r).
#pragma once

#include "chamomile/core/lane_math.hpp"

namespace chamomile {

/// ConstantDielectric has u = 1 / (epsilon r).
struct ConstantDielectric {
    double epsilon = 1;

    /// Computes u and r du/dr in 1 issue slot: the factor depends on the target only.
    template <class T>
    CHAMOMILE_HD void operator()(const T& charges, const T&, const T& inv_r, const T&, T& energy,
                                 T& r_gradient) const
    {
        energy = charges * inv_r;
        r_gradient = -energy;
    }
    /// Returns the factor for the product of charges, applied beforehand.
    CHAMOMILE_HD double strength() const { return 1 / epsilon; }
    CHAMOMILE_HD ConstantDielectric with_unit(double unit) const { return {epsilon * unit}; }
};

/// LinearDielectric has epsilon(r) = c r: u = 1 / (c r^2).
struct LinearDielectric {
    double c = 1;

    /// Computes u and r du/dr in 2 issue slots.
    template <class T>
    CHAMOMILE_HD void operator()(const T& charges, const T&, const T&, const T& inv_r2, T& energy,
                                 T& r_gradient) const
    {
        energy = charges * inv_r2;
        r_gradient = T(-2) * energy;
    }
    CHAMOMILE_HD double strength() const { return 1 / c; }
    CHAMOMILE_HD LinearDielectric with_unit(double unit) const { return {c * unit * unit}; }
};

/// SigmoidalDielectric has u = 1 / (zeta(r) r), zeta(r) = exp(alpha r^3 + beta r^2 + gamma r +
/// delta).
struct SigmoidalDielectric {
    double alpha = 0, beta = 0, gamma = 0, delta = 0;
    double unit = 1; ///< length unit for r

    /// Computes u and r du/dr in 11 issue slots: u = 2^-p(r) / r with p = log2 zeta, and r u' = -(1
    /// + ln 2 r p') u.
    template <class T>
    CHAMOMILE_HD void operator()(const T& charges, const T& r2, const T& inv_r, const T&, T& energy,
                                 T& r_gradient) const
    {
        constexpr double log2e = 1.44269504088896340736;
        const T r = r2 * inv_r; // 1
        const T minus_p = ((T(-log2e * alpha) * r + T(-log2e * beta)) * r + T(-log2e * gamma)) * r +
                          T(-log2e * delta);                                           // 3
        energy = (charges * inv_r) * power_of_two(minus_p);                            // 3
        const T growth = ((T(3 * alpha) * r + T(2 * beta)) * r + T(gamma)) * r + T(1); // 3
        r_gradient = -(growth * energy);                                               // 1
    }
    CHAMOMILE_HD double strength() const { return 1 / unit; }
    CHAMOMILE_HD SigmoidalDielectric with_unit(double u) const
    {
        return {alpha * u * u * u, beta * u * u, gamma * u, delta, unit * u};
    }
};

} // namespace chamomile
