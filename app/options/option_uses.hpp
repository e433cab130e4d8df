/// \file  Options that nothing would use: what is asked is done, or refused in one line.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.hpp"

namespace chamomile::app {

/// A row of a command's table: options, and when nothing uses them.
struct Idle {
    bool idle;           ///< whether that is so now
    const char* options; ///< their long names, with spaces between
    std::string because; ///< what the line says after the option's name
};

/// Throws Error(usage), such as "run: --theta: needs --solver tree", for the first option that is
/// given in a row that is idle. A flag that is given as false is not asked for.
void refuse_idle(const Options& options, const std::vector<Idle>& table);

/// The options of `names` that are given, as "--host-below"; for notes.
std::vector<std::string> asked_of(const Options& options, const char* names);

} // namespace chamomile::app
