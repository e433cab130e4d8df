/// \file  `chamomile model cosmology`: initial conditions from the linear power spectrum.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

int model_cosmology(const std::vector<std::string>& arguments);

} // namespace chamomile::app
