/// \file  Options by key and value.
#pragma once

#include <string>

#include "chamomile/force/option_table.hpp"

namespace chamomile::c {

/// FieldOptions are the options that a context's solver is made from.
struct FieldOptions {
    KeyedOptions forces;
    int threads = 0;      ///< 0: OpenMP's choice
    int first_number = 0; ///< of particles and targets in error lines
};

using ContextRows = std::vector<OptionRow<FieldOptions>>;

/// Sets one option of chm_set_option(), or of these rows, in any order. Throws Error(usage) for an
/// unknown key, word or number, Error(device) for a GPU that is absent; `options` are unchanged
/// then.
void set_option(FieldOptions& options, const std::string& key, const std::string& value,
                const ContextRows& more = {});

/// Returns every option in words, for chm_options().
const std::string& options_text();

/// Returns the options as a solver takes them of sources that have softening lengths of their own
/// or not. Throws Error(usage) for options that contradict each other or this.
SolverOptions solver_options(const FieldOptions& options, bool has_own_softenings);

/// Returns how texts spell options and number items for a caller who counts from `first`.
Spelling spelling_from(int first);

} // namespace chamomile::c
