/// \file  Suggestions for mistyped names.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

/// Returns a known name that differs from `name` only in case; else the nearest by insertions,
/// deletions, substitutions and swaps of neighbors, at most 2 or, if more, a third of the letters;
/// else the only one with the same first word, as z-start for z-init; else empty.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

/// Returns `; did you mean 'X'?` for the nearest known name, or nothing.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

} // namespace chamomile
