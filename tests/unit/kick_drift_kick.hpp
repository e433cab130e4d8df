/// \file  A step of the leapfrog by whole-set kicks and drifts, for tests that change a part of it.
#pragma once

#include "chamomile/core/particles.hpp"

namespace chamomile::tests {

/// Kicks all particles: v += dt a.
inline void kick(Particles& particles, double dt)
{
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.velocity[i] += dt * particles.acceleration[i];
}

/// Takes one step of length dt: half a kick, a drift, new accelerations by `evaluate()`, half a
/// kick.
template <class Evaluate>
void kick_drift_kick(Particles& particles, double dt, Evaluate&& evaluate)
{
    kick(particles, dt / 2);
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.position[i] += dt * particles.velocity[i];
    evaluate();
    kick(particles, dt / 2);
}

} // namespace chamomile::tests
