/// \file  Particle types by number and name, as in GADGET.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

inline constexpr std::array<const char*, 6> type_names = {"gas",   "halo",  "disk",
                                                          "bulge", "stars", "boundary"};

/// Returns the number of a type given by name or number ("disk", "2"). Throws Error(usage).
int parse_particle_type(const std::string& option, const std::string& text);

/// Returns the types in a list such as "disk,3". Throws Error(usage).
std::vector<int> parse_particle_types(const std::string& option, const std::string& text);

/// Returns a list that parse_particle_types() can read.
std::string types_text(const std::vector<int>& types);

/// Returns the types that occur, such as "1 (halo), 4 (stars)".
std::string types_of(const Particles& particles);

/// Returns per-particle softening lengths by type, such as "0.4 (halo), 0.1 to 1 (disk)".
std::string softenings_of(const Particles& particles);

} // namespace chamomile
