/// \file  Green's function: turns the mass spectrum into the spectrum of the long-range potential.
#pragma once

#include <array>
#include <vector>

#include "chamomile/core/host_device.hpp"

namespace chamomile {

/// Factors for one dimension of a mesh, by entry of its spectrum.
struct GreenRows {
    std::vector<double> wave;   ///< k
    std::vector<double> factor; ///< exp(-k^2 r_s^2) over the square of the window
    std::vector<double>
        gradient; ///< imaginary part of the derivative factor: k, or its 4-point value; 0 at n/2
};

/// Returns the rows for n points per side and clouds with `points` points. `four_point`: for
/// 4-point differences.
GreenRows green_rows(int n, double side, double split_radius, int points, bool four_point);

/// The factor from a mode's mass to its potential, with G = 1 and mean 0. Arguments `wave` etc. are
/// rows of GreenRows.
struct GreenFunction {
    double side;
    bool four_point;

    CHAMOMILE_HD double operator()(const double* wave, const double* factor, const double* gradient,
                                   int i, int j, int k) const
    {
        constexpr double four_pi = 12.566370614359172954;
        const double volume = side * side * side;
        const double k2 = wave[i] * wave[i] + wave[j] * wave[j] + wave[k] * wave[k];
        if (k2 == 0)
            return 0;
        return -four_pi / (volume * k2) * factor[i] * factor[j] * factor[k] *
               of_differences(wave, gradient, i, j, k);
    }

    /// Returns the factor for the potential whose 4-point differences come nearest to the true
    /// gradient; 1 without four_point.
    CHAMOMILE_HD double of_differences(const double* wave, const double* gradient, int i, int j,
                                       int k) const
    {
        if (!four_point || (i == 0 && j == 0 && k == 0))
            return 1;
        const double d2 =
            gradient[i] * gradient[i] + gradient[j] * gradient[j] + gradient[k] * gradient[k];
        const double kd = wave[i] * gradient[i] + wave[j] * gradient[j] + wave[k] * gradient[k];
        return d2 > 0 ? kd / d2 : 0;
    }
};

} // namespace chamomile
