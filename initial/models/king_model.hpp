/// \file  The lowered isothermal sphere of King (1966).
#pragma once

#include <vector>

namespace chamomile {

/// A KingModel solves Poisson's equation for f(E) ~ exp(E / sigma^2) - 1, in units of the core
/// radius r_0 = 3 sigma / sqrt(4 pi G rho_0) and the total mass (Binney & Tremaine 2008, sec.
/// 4.3.3c).
class KingModel {
public:
    /// `w0`: central depth of the potential, psi / sigma^2, from 0.1 to 16.
    explicit KingModel(double w0);

    double tidal_radius() const { return tidal_radius_; } ///< radius of zero density
    double density(double r) const;
    double slope(double r) const; ///< d rho / dr

private:
    /// A State holds W and F = -dW / d ln r. Both are zero beyond the tidal radius.
    struct State {
        double depth, fall;
    };
    State at(double r) const;

    double w0_, central_, last_ = 0, tidal_radius_ = 0;
    double scale_ = 1;                 ///< density factor for total mass 1
    std::vector<double> depth_, fall_; // in equal steps of ln r, up to last_
};

} // namespace chamomile
