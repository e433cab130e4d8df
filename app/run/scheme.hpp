/// \file  The integrator of a run, and what is told of it.
#pragma once

#include <string>
#include <vector>

#include "chamomile/integrate/hermite.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/scheme.hpp"

namespace chamomile::app {

/// Before a run trusts a GPU (integrate/device_check.hpp): a line about it, empty on the CPU.
/// Throws Error(device).
std::string check_device(const Scheme& scheme, const SolverOptions& solver);

/// An integrator with its forces, in words.
class Mover {
public:
    /// As make_integrator().
    Mover(const Scheme& scheme, const SolverOptions& solver,
          const Clock& clock = Clock::newtonian());

    Integrator& integrator() { return *made_.integrator; }
    const Integrator& integrator() const { return *made_.integrator; }

    /// "PEC, eta = 0.01, 0.01 at the start"; empty for the leapfrog.
    std::string scheme_text() const;
    /// "in blocks of individual steps", "in steps of 0.01", "in adaptive steps, eta = 0.1".
    std::string steps_text() const;
    /// What individual steps have done, in lines, with ids; empty for a leapfrog of shared steps.
    std::vector<std::string> summary(const Particles& particles) const;

private:
    TimeStep step_;
    Integration made_;
};

} // namespace chamomile::app
