/// \file  How a command says that a result cannot be trusted.
#pragma once

#include <string>

namespace chamomile::app {

/// A line on standard error, with --quiet too.
void warn(const std::string& line);

} // namespace chamomile::app
