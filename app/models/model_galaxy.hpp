/// \file  Disk galaxy models for `chamomile model`.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

int model_galaxy(const std::vector<std::string>& arguments);
int model_merger(const std::vector<std::string>& arguments);

} // namespace chamomile::app
