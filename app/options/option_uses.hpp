/// \file  Options without effect: each option is used, or refused with one line.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.hpp"

namespace chamomile::app {

/// An Idle is a row in a command's table: options, and whether they lack effect now.
struct Idle {
    bool idle;           ///< true: no effect now
    const char* options; ///< long names, separated by spaces
    std::string because; ///< the words after the option's name
};

/// Throws Error(usage), such as "run: --theta: needs --solver tree", for the first option given in
/// an idle row. Ignores flags given as false.
void refuse_idle(const Options& options, const std::vector<Idle>& table);

/// Returns the given options among `names`, such as "--host-below", for notes.
std::vector<std::string> given_of(const Options& options, const char* names);

} // namespace chamomile::app
