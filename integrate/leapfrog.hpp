/// \file  The kick-drift-kick leapfrog.
#pragma once

#include "core/particles.hpp"

namespace chamomile {

/// v += dt a, for all particles.
void kick(Particles& particles, double dt);

/// x += dt v, for all particles.
void drift(Particles& particles, double dt);

/// One step of length dt: half a kick, a drift, new accelerations by `evaluate()`, half a kick.
/// Second order, symplectic and reversible for a constant dt (Quinn et al. 1997). The
/// accelerations must belong to the positions, and do so again afterwards.
template <class Evaluate>
void kick_drift_kick(Particles& particles, double dt, Evaluate&& evaluate)
{
    kick(particles, dt / 2);
    drift(particles, dt);
    evaluate();
    kick(particles, dt / 2);
}

} // namespace chamomile
