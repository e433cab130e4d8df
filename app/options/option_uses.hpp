/// \file  Options without effect: each option is used, or refused with one line.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/core/options/idle.hpp"

namespace chamomile::app {

/// Throws Error(usage), such as "run: --theta: needs --solver tree", for the first option given in
/// an idle row. Ignores flags given as false.
void refuse_idle(const Options& options, const std::vector<Idle>& table);

/// Returns the given options among `names`, such as "--host-below", for notes.
std::vector<std::string> given_of(const Options& options, const char* names);

} // namespace chamomile::app
