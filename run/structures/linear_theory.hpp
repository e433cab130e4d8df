/// \file  Linear theory and published fits for comparison with measurements.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/initial/cosmology/halofit.hpp"
#include "chamomile/initial/cosmology/mass_function.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Provenance keys of the initial conditions' power spectrum.
inline constexpr const char *provenance_transfer = "transfer", *provenance_sigma8 = "sigma8",
                            *provenance_spectral_index = "spectral_index",
                            *provenance_omega_baryon = "omega_baryon";

/// Returns the names of transfer functions for --transfer and in files.
const std::vector<std::pair<std::string, TransferKind>>& transfer_names();

/// Returns a note on a sigma8 above 2; else an empty text.
std::string sigma8_note(double sigma8);

/// A TheoryRequest specifies the linear power spectrum.
struct TheoryRequest {
    std::optional<double> sigma8, spectral_index, omega_baryon; ///< default: from the file
    std::string table, transfer; ///< files: power spectrum today, transfer function
    bool wanted = false;
};

/// A Theory is evaluated at the redshift of a comoving snapshot. Lengths are in Mpc/h.
class Theory {
public:
    /// Throws Error(usage) if the snapshot is not comoving, has no physical units, Omega_m or h, or
    /// was made from a table and the request gives neither table nor Omega_b.
    Theory(const TheoryRequest& request, const Snapshot& snapshot);

    double linear(double k) const { return growth_squared_ * linear_(k); }
    double nonlinear(double k) const { return halofit_(k); }
    const MassFunction& mass_function() const { return mass_function_; }
    /// Returns a line such as "# linear theory: sigma8 0.811, n_s 0.965, Omega_b 0.049\n".
    std::string heading() const;
    /// Returns a line on values missing in both request and snapshot, or none.
    std::vector<std::string> assumed(const TheoryRequest& request, const Snapshot& snapshot) const;

    /// Returns the factor from the snapshot's analysis_units() to Mpc/h and Msun/h.
    double to_per_hubble() const { return to_per_hubble_; }

private:
    Background background_;
    PowerOptions power_;
    LinearPower linear_;
    double growth_squared_, to_per_hubble_;
    Halofit halofit_;
    MassFunction mass_function_;
};

/// Returns the theory, or null if not requested. Adds a note on assumptions to the snapshot.
std::unique_ptr<Theory> make_theory(const TheoryRequest& request, Snapshot& snapshot);

} // namespace chamomile
