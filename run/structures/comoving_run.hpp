/// \file  Conversion between comoving files, with peculiar velocities, and a run in canonical
/// momenta.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/cosmology/background.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A CosmologyRequest holds the options of a cosmological run that complete its file.
struct CosmologyRequest {
    bool asked = false; ///< by --cosmology or any related option
    std::optional<double> omega_matter, omega_lambda, omega_radiation, w0, wa, hubble;
    std::optional<double> end_scale_factor, end_redshift;
    std::vector<double> output_scale_factors, output_redshifts;
    double longest_step = 0.025; ///< in ln a
    std::optional<double> physical_softening;
};

/// Returns the times of outputs in ln a; none: outputs are at intervals.
std::vector<double> listed_outputs(const CosmologyRequest& request);

/// Completes the background of the file by the request and checks it: comoving coordinates, a box,
/// and the mass that Omega_m implies. Throws Error(input).
void take_background(const CosmologyRequest& request, const std::string& file, Snapshot& state);

/// Turns peculiar velocities into momenta p = a v, and wraps positions into the box.
void make_canonical(Snapshot& state);

/// Returns Newton's clock for a plain run, else that of the background. Newton's clock is not
/// owned.
std::shared_ptr<const Clock> clock_of(const CosmologyRequest& request, const Snapshot& state);

/// Returns the background that a file states.
Background background_of(const ComovingFrame& frame);

/// Returns "density: 0.31 of the critical one, but Omega_m is 0.3".
std::string density_text(const Snapshot& state);
/// Adds density_text() as a note if the density of a comoving box is not Omega_m to 0.1 %.
void note_density(Snapshot& state);
/// Returns "Omega_m 0.3, Omega_Lambda 0.7, h 0.7".
std::string background_text(const ComovingFrame& frame);
/// Returns "from a = 0.02, z = 49 to a = 1, z = 0" for times in ln a.
std::string epochs_text(double start, double end);

/// Turns canonical momenta into peculiar velocities at the scale factor of the snapshot.
void make_peculiar(Snapshot& state);

/// ScaledVelocities multiplies a snapshot's velocities, where they lie, while it lives; then it
/// restores them, bit for bit.
class ScaledVelocities {
public:
    ScaledVelocities(Snapshot& state, double factor);
    ~ScaledVelocities();
    ScaledVelocities(const ScaledVelocities&) = delete;
    ScaledVelocities& operator=(const ScaledVelocities&) = delete;

private:
    std::vector<Vec3<double>>& velocity_;
    std::vector<Vec3<double>> kept_; ///< none where the factor is 1
};

/// PeculiarVelocities are those of a comoving snapshot that holds canonical momenta.
class PeculiarVelocities : public ScaledVelocities {
public:
    explicit PeculiarVelocities(Snapshot& state);
};

} // namespace chamomile
