/// \file  Linear theory and published fits beside what is measured.
#pragma once

#include <memory>
#include <string>

#include "app/options.hpp"
#include "cosmology/halofit.hpp"
#include "cosmology/mass_function.hpp"
#include "io/snapshot.hpp"

namespace chamomile::app {

struct TheoryRequest {
    PowerOptions power;
    std::string table; ///< of the power spectrum today
    bool wanted = false;
};

/// Adds --fits, --sigma8, --n-s, --omega-b and --linear-power.
void add_theory_options(Options& options, TheoryRequest& theory);

/// Theory at the redshift of a comoving snapshot, lengths in Mpc/h.
class Theory {
public:
    /// Throws Error(usage) for a snapshot that is not comoving or has no physical units.
    Theory(const TheoryRequest& request, const Snapshot& snapshot);

    double linear(double k) const { return growth_squared_ * linear_(k); }
    double nonlinear(double k) const { return halofit_(k); }
    const MassFunction& mass_function() const { return mass_function_; }

    /// Lengths and masses of the snapshot's analysis_units() in Mpc/h and Msun/h.
    double to_per_hubble() const { return to_per_hubble_; }

private:
    Background background_;
    LinearPower linear_;
    double growth_squared_, to_per_hubble_;
    Halofit halofit_;
    MassFunction mass_function_;
};

/// Empty unless the request wants it.
std::unique_ptr<Theory> make_theory(const TheoryRequest& request, const Snapshot& snapshot);

} // namespace chamomile::app
