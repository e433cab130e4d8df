/// \file  What particles must satisfy before anything is computed from them.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Throws Error with Fault::input, naming index and id, unless positions, velocities and masses
/// are finite, no mass is negative, not all masses are zero and all ids differ. No particles at
/// all pass. `file` is what the message starts with.
void check_particles(const Particles& particles, const std::filesystem::path& file);

/// The part of it that looks at masses; `hint` ends the message.
void check_masses(const Particles& particles, const std::filesystem::path& file,
                  const std::string& hint = "");

/// Throws Error with Fault::input when there are no particles: for what needs at least one.
void require_particles(const Particles& particles, const std::filesystem::path& file);

} // namespace chamomile
