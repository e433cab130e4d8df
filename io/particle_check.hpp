/// \file  Conditions that particles must satisfy before anything is computed from them.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/core/particle_rows.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Masses says whether particles may be tracers alone, which have none.
enum class Masses { needed, may_lack };

/// Throws Error with Fault::input, naming index and id, unless positions, velocities and masses are
/// finite, no mass is negative, not all masses are zero (if they are needed) and all ids differ. An
/// empty set passes. The message starts with `file`.
void check_particles(const Particles& particles, const std::filesystem::path& file,
                     Masses masses = Masses::needed);
/// Does so where what moves of the particles is that of the rows.
void check_particles(const Particles& particles, ParticleRows& rows,
                     const std::filesystem::path& file, Masses masses);

/// Checks in the same way that masses are finite and not negative; `hint` ends the message.
void check_masses(const Particles& particles, const std::filesystem::path& file,
                  const std::string& hint = "");

/// Throws Error with Fault::input when there are no particles.
void require_particles(const Particles& particles, const std::filesystem::path& file);

} // namespace chamomile
