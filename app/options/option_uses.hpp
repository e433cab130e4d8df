/// \file  Options that have no effect: each option is used, or refused in one line.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.hpp"

namespace chamomile::app {

/// An Idle is a row of a command's table: options, and when they have no effect.
struct Idle {
    bool idle;           ///< true if they have no effect now
    const char* options; ///< their long names, with spaces between
    std::string because; ///< the words after the option's name
};

/// Throws Error(usage), such as "run: --theta: needs --solver tree", for the first option that is
/// given in a row that is idle. A flag that is given as false does not count.
void refuse_idle(const Options& options, const std::vector<Idle>& table);

/// Returns the options of `names` that are given, as they are typed; for notes.
std::vector<std::string> asked_of(const Options& options, const char* names);

} // namespace chamomile::app
