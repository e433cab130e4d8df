/// \file  Gaussian random fields with large scales independent of the mesh size.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/force/mesh/grid.hpp"
#include "chamomile/initial/cosmology/linear_power.hpp"

namespace chamomile {

/// FieldOptions controls the random numbers of a field.
struct FieldOptions {
    std::uint64_t seed = 1;
    bool fixed = false;  ///< set every amplitude to its rms value (Angulo & Pontzen 2016)
    bool paired = false; ///< flip the sign of every mode, for the partner of a pair (ibid.)
};

/// Returns a complex random number of mean square 1 for the mode with these wave numbers. It
/// depends only on seed and wave vector (Philox), so meshes of all sizes share their common modes.
/// The values at k and -k are complex conjugates.
std::complex<double> white_noise(const FieldOptions& options, int kx, int ky, int kz);

/// Returns sqrt(factor P(k) / side^3), side in Mpc/h, for each squared wave number in units of 2 pi
/// / side, up to those of modes with wave numbers below n/2.
std::vector<double> rms_of_modes(int n, double side, const LinearPower& power, double factor);

/// Fills a spectrum, or its part, with delta(x) = sum_k delta_k exp(i k x) and <|delta_k|^2> =
/// rms[k^2]^2, k in units of 2 pi / side. The mean and modes with a wave number of `limit` and
/// above are 0.
template <class T>
void fill_gaussian_field(Grid<T>& spectrum, int limit, std::span<const double> rms,
                         const FieldOptions& options);

} // namespace chamomile
