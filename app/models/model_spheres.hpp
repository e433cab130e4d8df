/// \file  Equilibrium spheres for `chamomile model`.
#pragma once

#include <string>
#include <vector>

#include "chamomile/initial/models/population.hpp"

namespace chamomile::app {

int model_hernquist(const std::vector<std::string>& arguments);
int model_nfw(const std::vector<std::string>& arguments);
int model_einasto(const std::vector<std::string>& arguments);
int model_king(const std::vector<std::string>& arguments);
int model_exponential(const std::vector<std::string>& arguments);
int model_spheres(const std::vector<std::string>& arguments);

/// Records the table of a mass function as an input.
void record_population(const StellarPopulation& stars);

} // namespace chamomile::app
