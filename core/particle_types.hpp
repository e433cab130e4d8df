/// \file  The types of particles by number and name, as in GADGET.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

inline constexpr std::array<const char*, 6> type_names = {"gas",   "halo",  "disk",
                                                          "bulge", "stars", "boundary"};

/// Returns the types that occur, such as "1 (halo), 4 (stars)".
std::string types_of(const Particles& particles);

} // namespace chamomile
