/// \file  Conditions that particles must satisfy before any computation.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Whether all masses may be zero (only tracers). `inspected`: ids may repeat, too.
enum class Masses { needed, may_lack, inspected };

/// Throws Error with Fault::input, naming index and id, unless all values are finite, no mass or
/// softening length is negative, all ids differ and, for Masses::needed, some mass is positive. An
/// empty set passes. The message starts with `file`.
void check_particles(const Particles& particles, const std::filesystem::path& file,
                     Masses masses = Masses::needed);
/// Checks the positions and velocities of `rows`; returns the box around positions.
Box check_moving(const Particles& particles, ParticleReader& rows,
                 const std::filesystem::path& file);
/// Checks masses, softening lengths and ids.
void check_constant(const Particles& particles, const std::filesystem::path& file, Masses masses);

/// Checks only that masses are finite and not negative. `hint` ends the error message.
void check_masses(const Particles& particles, const std::filesystem::path& file,
                  const std::string& hint = "");

/// Throws Error with Fault::input if the set is empty.
void require_particles(const Particles& particles, const std::filesystem::path& file);

} // namespace chamomile
