/// \file  Makes and announces live views for commands.
#pragma once

#include <memory>

#include "chamomile/run/view/live_view.hpp"

namespace chamomile::app {

/// Returns a view at a port; 0: any free port. Throws Error(usage) with the option's name if the
/// port is in use.
std::unique_ptr<LiveView> make_view(int port, const std::string& option);

/// Prints the view's address, even with --quiet: nobody can connect without it. Prints to the
/// terminal only, because anyone who reads the address may stop the run.
void announce(const LiveView& view);

} // namespace chamomile::app
