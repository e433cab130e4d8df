/// \file  The built-in models by name, with their default shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Their names.
std::vector<std::string> built_in_models();

/// "plummer, hernquist, ...".
std::string built_in_model_names();

/// Throws Error(usage) for a name that is not known, naming the nearest.
Snapshot make_built_in_model(const std::string& name, std::uint64_t particles, std::uint64_t seed);

} // namespace chamomile::app
