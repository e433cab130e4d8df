/// \file  The words for kinds of softening in options and files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chamomile/core/softening.hpp"

namespace chamomile {

/// Returns all words with their kinds.
std::vector<std::pair<std::string, SofteningKind>> softening_words();

/// Returns the kind for a word; nothing if there is none.
std::optional<SofteningKind> softening_kind_of(std::string_view word);

/// Returns the words as "a, b or c".
std::string softening_choices();

/// Returns for a help text where the kinds with a reach are Newtonian.
std::string reaches_text();

} // namespace chamomile
