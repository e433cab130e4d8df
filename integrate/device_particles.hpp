/// \file  Particles that a GPU holds and moves, for a leapfrog whose forces come from there.
#pragma once

#include <memory>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {

/// Positions, velocities, accelerations and masses, 150 bytes a particle: with those before the
/// step. Arithmetic is that of the host's leapfrog, bit for bit. All members throw Error(device).
class DeviceParticles {
public:
    virtual ~DeviceParticles() = default;

    virtual void load(const Particles& particles) = 0;
    /// Positions, velocities, accelerations and, where the last request had them, potentials;
    /// particles have as many already.
    virtual void store(Particles& particles) = 0;

    /// Begins a step: the state before it is kept, even where this throws. False if a position is
    /// not finite.
    virtual bool kick_and_drift(const Strides& strides, Periodicity box) = 0;
    /// v += dt a, for all. False if an acceleration is not finite.
    virtual bool kick(double dt) = 0;
    /// Back to the state before the step.
    virtual void undo() = 0;

    /// max |a|^2 of all.
    virtual double largest_acceleration_squared() = 0;

    /// Of all particles, to arrays of the device.
    virtual Request request(bool potentials) = 0;
};

/// On that device. Throws Error(device) if it cannot.
std::unique_ptr<DeviceParticles> make_device_particles(int device);

} // namespace chamomile
