/// \file  Which known name a mistyped one was meant to be.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

/// The known name with the fewest insertions, deletions, substitutions and swaps of neighbours
/// from `name`; empty if none is near (a third of the letters, at least two).
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

/// `; did you mean 'X'?` for the nearest known name, or nothing.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

} // namespace chamomile
