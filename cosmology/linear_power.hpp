/// \file  The power spectrum of linear theory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "chamomile/cosmology/transfer.hpp"

namespace chamomile {

/// A TransferKind is the source of the shape of the spectrum.
enum class TransferKind {
    eisenstein_hu,
    no_wiggle,      ///< Eisenstein & Hu's without acoustic oscillations
    transfer_table, ///< from a file
    power_table     ///< from a file: the power spectrum today
};

/// PowerOptions give the shape and the amplitude of the spectrum.
struct PowerOptions {
    Background background;
    TransferKind transfer = TransferKind::eisenstein_hu;
    /// A table's file has k in h/Mpc and T in two columns (T in the seventh of seven or more, as
    /// CAMB and, with format = camb, CLASS write it: that of all matter), or k and P in (Mpc/h)^3.
    /// Lines that begin with # are skipped.
    std::filesystem::path table;
    double omega_baryon = 0.049;
    double temperature = 2.7255;   ///< of the microwave background today, in K
    double spectral_index = 0.965; ///< n_s
    /// sigma8 is the root mean square of the density in spheres of 8 Mpc/h today, in linear theory.
    /// If neither it nor A_s is given, it is 0.811, or the spectrum keeps a power table's own
    /// normalisation.
    std::optional<double> sigma8;
    /// The primordial spectrum's A_s at 0.05 / Mpc may be given instead.
    std::optional<double> primordial;
};

/// A LinearPower is P(k) in (Mpc/h)^3 at a = 1, k in h/Mpc, with <|delta_k|^2> = P / volume for
/// modes of delta(x) = sum_k delta_k exp(i k x). Beyond a table it is continued as k^n_s towards
/// small k, and as k^(n_s - 4) ln^2(c k) towards large k, with c by the table's last slope. The
/// latter is the spectrum of cold matter that entered the horizon under radiation.
class LinearPower {
public:
    /// Throws Error(usage) for options out of range, Error(input) for a table that cannot be read,
    /// does not reach from 0.01 to 1 h/Mpc, from which most of sigma(8) comes (for A_s from 2e-4),
    /// or does not fall at its end.
    explicit LinearPower(const PowerOptions& options);

    double operator()(double k) const;

    /// Returns the root mean square of the density in spheres of that radius in Mpc/h.
    double sigma(double radius) const;

    /// These bound the range without extrapolation: k of the first and last line of a table.
    double least_k() const { return least_k_; }
    double most_k() const { return most_k_; }

private:
    double shape(double k) const;
    double tabled(double log_k) const;
    double beyond(double log_k) const;

    PowerOptions options_;
    std::optional<EisensteinHu> fit_;
    std::vector<double> log_k_, log_value_, second_; ///< of a table's cubic spline
    double last_logarithm_ = 0; ///< ln(c k) at the end; 0: the last slope continues
    double last_slope_ = 0;     ///< of P there
    double least_k_ = 0, most_k_ = 0, scale_ = 1;
};

} // namespace chamomile
