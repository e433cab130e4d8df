/// \file  The linear power spectrum.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "chamomile/initial/cosmology/transfer.hpp"

namespace chamomile {

/// A TransferKind selects the source of the shape of the spectrum.
enum class TransferKind {
    eisenstein_hu,
    no_wiggle,      ///< Eisenstein & Hu's without acoustic oscillations
    transfer_table, ///< from a file
    power_table     ///< from a file: the power spectrum today
};

/// PowerOptions specifies shape and amplitude of the spectrum.
struct PowerOptions {
    Background background;
    TransferKind transfer = TransferKind::eisenstein_hu;
    /// Table file with k in h/Mpc and T in two columns (in CAMB's format, also written by CLASS
    /// with format = camb, T of all matter is the seventh of at least seven columns), or k and P in
    /// (Mpc/h)^3. Lines beginning with # are skipped.
    std::filesystem::path table;
    double omega_baryon = 0.049;
    double temperature = 2.7255;   ///< of the microwave background today, in K
    double spectral_index = 0.965; ///< n_s
    /// Linear rms density contrast in spheres of 8 Mpc/h today. Without sigma8 and A_s, the default
    /// is 0.811, but a power table keeps its normalization.
    std::optional<double> sigma8;
    /// Alternative: A_s of the primordial spectrum at 0.05 / Mpc.
    std::optional<double> primordial;
};

/// A LinearPower is P(k) in (Mpc/h)^3 at a = 1, k in h/Mpc, with <|delta_k|^2> = P / volume for
/// modes of delta(x) = sum_k delta_k exp(i k x). A table is extrapolated as k^n_s to small k, and
/// as k^(n_s - 4) ln^2(c k) to large k, with c from the last slope of the table. The latter is the
/// spectrum of cold matter that entered the horizon in radiation domination.
class LinearPower {
public:
    /// Throws Error(usage) for options out of range, Error(input) for a table that cannot be read,
    /// does not cover 0.01 to 1 h/Mpc, the main range of sigma(8) (from 2e-4 for A_s), or does not
    /// fall at its end.
    explicit LinearPower(const PowerOptions& options);

    double operator()(double k) const;

    /// Returns the rms density contrast in spheres of this radius in Mpc/h.
    double sigma(double radius) const;

    /// Range of k without extrapolation: first and last line of a table.
    double min_k() const { return min_k_; }
    double max_k() const { return max_k_; }

private:
    double shape(double k) const;
    double tabled(double log_k) const;
    double beyond(double log_k) const;

    PowerOptions options_;
    std::optional<EisensteinHu> fit_;
    std::vector<double> log_k_, log_value_, second_; ///< cubic spline of a table
    double last_logarithm_ = 0; ///< ln(c k) at the end; 0: the last slope continues
    double last_slope_ = 0;     ///< of P at the end
    double min_k_ = 0, max_k_ = 0, scale_ = 1;
};

} // namespace chamomile
