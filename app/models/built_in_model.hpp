/// \file  The built-in models by name, with their default shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Returns the names of the models.
std::vector<std::string> built_in_models();

/// Returns "plummer, hernquist, ...".
std::string built_in_model_names();

/// Returns the model of that name. Throws Error(usage) for an unknown name, with the nearest known
/// one.
Snapshot make_built_in_model(const std::string& name, std::uint64_t particles, std::uint64_t seed);

} // namespace chamomile::app
