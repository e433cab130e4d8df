/// \file  Options by key and value.
#pragma once

#include <string>

#include "chamomile/force/option_table.hpp"

namespace chamomile::c {

/// What a context's solver is made of.
struct FieldOptions {
    KeyedOptions forces;
    int threads = 0;      ///< 0: OpenMP's choice
    int first_number = 0; ///< of particles and targets in lines of errors
};

/// Takes one option of chm_set_option(), in any order. Throws Error(usage) for a key, word or
/// number that it does not know, Error(device) for a GPU that is not there; `options` stay as they
/// were then.
void set_option(FieldOptions& options, const std::string& key, const std::string& value);

/// Every option in words, for chm_options().
const std::string& options_text();

/// As a solver takes them. Throws Error(usage) for what does not go together.
SolverOptions solver_options(const FieldOptions& options);

} // namespace chamomile::c
