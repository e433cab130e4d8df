/// \file  The model of `chamomile model` that follows the power spectrum of linear theory.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

int model_cosmology(const std::vector<std::string>& arguments);

} // namespace chamomile::app
