/// \file  The integrator of a run, in words.
#pragma once

#include <string>
#include <vector>

#include "chamomile/integrate/scheme.hpp"

namespace chamomile {

/// Before a run trusts a GPU (integrate/device_check.hpp): a line about it, empty on the CPU.
/// Throws Error(device).
std::string check_device(const Scheme& scheme, const SolverOptions& solver);

/// "PEC, eta = 0.01, 0.01 at the start"; empty for the leapfrog.
std::string scheme_text(const Integrator& integrator);

/// "in blocks of individual steps", "in steps of 0.01", "in adaptive steps, eta = 0.1".
std::string steps_text(const Scheme& scheme);

/// What individual steps have done, in lines, with ids; empty for a leapfrog of shared steps.
std::vector<std::string> step_summary(const Integrator& integrator, const Particles& particles);

} // namespace chamomile
