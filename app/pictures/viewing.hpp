/// \file  Live views as the command line makes and announces them.
#pragma once

#include <memory>

#include "chamomile/view/live_view.hpp"

namespace chamomile::app {

/// Returns a view at that port, or for 0 at any that is free. Throws Error(usage), naming the
/// option, if it is in use.
std::unique_ptr<LiveView> make_view(int port, const std::string& option);

/// Prints its address, whatever the verbosity: nobody can look without. It goes to the screen
/// alone, because whoever reads it may stop the run.
void announce(const LiveView& view);

} // namespace chamomile::app
