/// \file  Suggestions for mistyped names.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

/// Returns the known name nearest to `name` by insertions, deletions, substitutions and swaps of
/// neighbors, ignoring case; else the only one with the same first word, as z-start for z-init.
/// Empty if none is near (at most a third of the letters, or two).
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

/// Returns `; did you mean 'X'?` for the nearest known name, or nothing.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

} // namespace chamomile
