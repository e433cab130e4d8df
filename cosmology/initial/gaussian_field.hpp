/// \file  Gaussian random fields whose large scales do not depend on the number of points.
#pragma once

#include <complex>
#include <cstdint>

#include "chamomile/cosmology/linear_power.hpp"
#include "chamomile/mesh/grid.hpp"

namespace chamomile {

/// FieldOptions choose the random numbers of a field.
struct FieldOptions {
    std::uint64_t seed = 1;
    bool fixed = false;  ///< every mode has the amplitude of the spectrum (Angulo & Pontzen 2016)
    bool paired = false; ///< every mode has the opposite sign of its partner's field (ibid.)
};

/// Returns the complex number, of mean square 1, of the mode with these wave numbers. It depends on
/// seed and wave vector alone (Philox), so that meshes of all sizes share the modes that they have
/// in common. That of -k is its conjugate.
std::complex<double> white_noise(const FieldOptions& options, int kx, int ky, int kz);

/// Fills a spectrum with delta(x) = sum_k delta_k exp(i k x) and <|delta_k|^2> = factor P(k) /
/// side^3, side in Mpc/h. The mean and the modes of a wave number n/2, which have no sign, are 0.
template <class T>
void fill_gaussian_field(Grid<T>& spectrum, double side, const LinearPower& power, double factor,
                         const FieldOptions& options);

} // namespace chamomile
