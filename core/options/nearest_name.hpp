/// \file  Suggestions for mistyped names.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

/// Returns the known name with the fewest insertions, deletions, substitutions and swaps of
/// neighbors from `name`, whatever its capitals; else the only one of the same first word, as
/// z-start for z-init; or an empty one if none is near (at most a third of the letters, or two).
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

/// Returns `; did you mean 'X'?` for the nearest known name, or nothing.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

} // namespace chamomile
