/// \file  Built-in models by name, with default shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

std::vector<std::string> built_in_models();

/// Returns "plummer, hernquist, ...".
std::string built_in_model_names();

/// Returns the named model. Throws Error(usage) for an unknown name and suggests the nearest known
/// name.
Snapshot make_built_in_model(const std::string& name, std::uint64_t particles, std::uint64_t seed);

} // namespace chamomile::app
