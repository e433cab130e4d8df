/// \file  Names of options and numbers of items in the texts of the library.
///
/// A text names an option "{local-order}", by its name on the command line, and an item, such as a
/// particle, "{7}", by its index from 0. Each interface shows both as its users know them.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace chamomile {

/// PlainNames maps names of options to their spellings in an interface.
using PlainNames = std::map<std::string, std::string>;

struct Spelling {
    const PlainNames* names =
        nullptr;                  ///< options with a spelling that does not follow from the name
    bool has_dashes = false;      ///< "--local-order" instead of "local_order"
    std::size_t first_number = 0; ///< of items
};

/// Replaces each mark in the text by the option's name or the item's number; other braces stay.
std::string spelled(const std::string& text, const Spelling& spelling = {});

/// Returns "{7}", the mark of the item with this index.
std::string item(std::size_t index);

} // namespace chamomile
