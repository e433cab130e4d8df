/// \file  The libraries used to read and write files.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

/// Returns name and version of each library, as loaded at run time.
std::vector<std::string> file_libraries();

} // namespace chamomile
