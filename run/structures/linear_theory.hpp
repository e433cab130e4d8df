/// \file  Linear theory and published fits for comparison with measurements.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/cosmology/halofit.hpp"
#include "chamomile/cosmology/halos/mass_function.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// These are the keys by which snapshots state how their initial conditions were made.
inline constexpr const char *provenance_transfer = "transfer", *provenance_sigma8 = "sigma8",
                            *provenance_spectral_index = "spectral_index",
                            *provenance_omega_baryon = "omega_baryon";

/// Returns the names of transfer functions for --transfer and in files.
const std::vector<std::pair<std::string, TransferKind>>& transfer_names();

/// A TheoryRequest states the power spectrum of linear theory.
struct TheoryRequest {
    std::optional<double> sigma8, spectral_index, omega_baryon; ///< from the file unless given
    std::string table, transfer; ///< files: of the power spectrum today, of a transfer function
    bool wanted = false;
};

/// A Theory holds at the redshift of a comoving snapshot, with lengths in Mpc/h.
class Theory {
public:
    /// Throws Error(usage) for a snapshot that is not comoving, has no physical units, states no
    /// Omega_m or h, or was made from a table while the request has neither a table nor Omega_b.
    Theory(const TheoryRequest& request, const Snapshot& snapshot);

    double linear(double k) const { return growth_squared_ * linear_(k); }
    double nonlinear(double k) const { return halofit_(k); }
    const MassFunction& mass_function() const { return mass_function_; }
    /// Returns a line such as "# linear theory: sigma8 0.811, n_s 0.965, Omega_b 0.049\n".
    std::string heading() const;
    /// Returns a line on values that neither the request gives nor the snapshot states, or none.
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

/// Returns the theory, or null unless the request wants it. Its assumptions are noted in the
/// snapshot.
std::unique_ptr<Theory> make_theory(const TheoryRequest& request, Snapshot& snapshot);

} // namespace chamomile
