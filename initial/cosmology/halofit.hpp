/// \file  A published fit of the nonlinear power spectrum.
#pragma once

#include <functional>

#include "chamomile/core/cosmology/background.hpp"

namespace chamomile {

/// Halofit is the halo-model fit of Smith et al. (2003, appendix C) with the parameters of
/// Takahashi et al. (2012, appendix). Its error is 5 % for k < 1 h/Mpc and 10 % for k < 10 h/Mpc, z
/// < 10.
class Halofit {
public:
    /// `linear` returns the linear P(k) in (Mpc/h)^3 at scale factor a, for k from 1e-4 to 1e3
    /// h/Mpc.
    Halofit(std::function<double(double)> linear, const Background& background, double a);

    /// Returns P(k) in (Mpc/h)^3.
    double operator()(double k) const;

    /// Returns k in h/Mpc with sigma = 1 in Gaussian spheres of radius 1 / k. If no such k exists,
    /// returns 0, and P(k) is linear.
    double nonlinear_k() const { return nonlinear_k_; }

private:
    std::function<double(double)> linear_;
    double nonlinear_k_ = 0;
    double a_ = 0, b_ = 0, c_ = 0, alpha_ = 0, beta_ = 0, gamma_ = 0, nu_ = 0; ///< fit parameters
    double f1_ = 1, f2_ = 1, f3_ = 1;
};

} // namespace chamomile
