/// \file  Between comoving files, with peculiar velocities, and a run in canonical momenta.
#pragma once

#include <memory>
#include <string>

#include "app/options/run_options.hpp"
#include "chamomile/cosmology/background.hpp"
#include "chamomile/integrate/comoving_clock.hpp"

namespace chamomile {

/// Completes the background of the file by the options and checks it: comoving coordinates, a box,
/// as much mass as Omega_m says. Throws Error(input), Error(usage).
void take_background(const Options& options, const CosmologyRequest& request,
                     const std::string& file, Snapshot& state);

/// Peculiar velocities become momenta p = a v, positions move into the box.
void make_canonical(Snapshot& state);

/// Newton's for a plain run, else that of the background. Not owned where it is Newton's.
std::shared_ptr<const Clock> clock_of(const RunOptions& run, const Snapshot& state);

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
