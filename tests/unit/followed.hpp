/// \file  A simulation with recorded energy error and cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "chamomile/integrate/simulation.hpp"

namespace chamomile::tests {

struct Outcome {
    double largest = 0, evaluations = 0, momentum = 0;
    Particles particles;
};

/// Returns max |dE/E| at intervals, and mean force evaluations per particle.
inline Outcome follow(Particles particles, Integrator& integrator, double end, double interval)
{
    Outcome outcome;
    Simulation simulation(particles, integrator, 0, end);
    double start = 0;
    simulation.at_intervals(interval, Quantities::acceleration_potential, [&](Simulation& now) {
        const Diagnostics& diagnostics = now.diagnostics();
        if (now.step() == 0)
            start = diagnostics.energy();
        outcome.largest = std::max(outcome.largest, std::abs(diagnostics.energy() / start - 1));
    });
    simulation.run();
    outcome.evaluations = double(simulation.total_statistics().targets) / double(particles.size());
    outcome.particles = std::move(particles);
    return outcome;
}

} // namespace chamomile::tests
