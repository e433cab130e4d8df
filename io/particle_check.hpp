/// \file  Conditions that particles must satisfy before anything is computed from them.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Throws Error with Fault::input, naming index and id, unless positions, velocities and masses are
/// finite, no mass is negative, not all masses are zero and all ids differ. An empty set passes.
/// The message starts with `file`.
void check_particles(const Particles& particles, const std::filesystem::path& file);

/// Checks the masses alone in the same way; `hint` ends the message.
void check_masses(const Particles& particles, const std::filesystem::path& file,
                  const std::string& hint = "");

/// Throws Error with Fault::input when there are no particles.
void require_particles(const Particles& particles, const std::filesystem::path& file);

} // namespace chamomile
