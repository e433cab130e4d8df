/// \file  Between comoving files, with peculiar velocities, and a run in canonical momenta.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/cosmology/background.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// What a cosmological run is told beside its file.
struct CosmologyRequest {
    bool asked = false; ///< by --cosmology or any of the others
    std::optional<double> omega_matter, omega_lambda, omega_radiation, w0, wa, hubble;
    std::optional<double> end_scale_factor, end_redshift;
    std::vector<double> output_scale_factors, output_redshifts;
    double longest_step = 0.025; ///< in ln a
    std::optional<double> physical_softening;
};

/// Times of outputs in ln a; none: at intervals.
std::vector<double> listed_outputs(const CosmologyRequest& request);

/// Completes the background of the file by the request and checks it: comoving coordinates, a box,
/// as much mass as Omega_m says. Throws Error(input).
void take_background(const CosmologyRequest& request, const std::string& file, Snapshot& state);

/// Peculiar velocities become momenta p = a v, positions move into the box.
void make_canonical(Snapshot& state);

/// Newton's for a plain run, else that of the background. Not owned where it is Newton's.
std::shared_ptr<const Clock> clock_of(const CosmologyRequest& request, const Snapshot& state);

/// What the file states of it.
Background background_of(const ComovingFrame& frame);

/// "density: 0.31 of the critical one, but Omega_m is 0.3".
std::string density_text(const Snapshot& state);
/// "Omega_m 0.3, Omega_Lambda 0.7, h 0.7".
std::string background_text(const ComovingFrame& frame);
/// "from a = 0.02, z = 49 to a = 1, z = 0", of times in ln a.
std::string epochs_text(double start, double end);

/// While it lives, the momenta of a comoving snapshot are peculiar velocities, at its scale factor;
/// then they are what they were, bit for bit.
class PeculiarVelocities {
public:
    explicit PeculiarVelocities(Snapshot& state);
    ~PeculiarVelocities();
    PeculiarVelocities(const PeculiarVelocities&) = delete;
    PeculiarVelocities& operator=(const PeculiarVelocities&) = delete;

private:
    Snapshot& state_;
    std::vector<Vec3<double>> momenta_;
};

} // namespace chamomile
