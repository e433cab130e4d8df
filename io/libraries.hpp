/// \file  The libraries by which files are read and written.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

/// Returns their names and versions, as they are loaded.
std::vector<std::string> file_libraries();

} // namespace chamomile
