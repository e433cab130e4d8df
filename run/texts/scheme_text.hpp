/// \file  The integrator of a run, in words.
#pragma once

#include <string>
#include <vector>

#include "chamomile/integrate/scheme.hpp"

namespace chamomile {

/// Checks a GPU before a run uses it (integrate/device_check.hpp). Returns a line about the check;
/// empty on the CPU. Throws Error(device).
std::string check_device(const Scheme& scheme, const SolverOptions& solver);

/// Returns "PEC, eta = 0.01, 0.01 at the start"; empty for the leapfrog.
std::string scheme_text(const Integrator& integrator);

/// Returns "in blocks of individual steps", "in steps of 0.01" or "in adaptive steps, eta = 0.1".
std::string steps_text(const Scheme& scheme);

/// Returns lines on the individual steps, with ids; empty for a leapfrog with shared steps.
std::vector<std::string> step_summary(const Integrator& integrator, const Particles& particles);

} // namespace chamomile
