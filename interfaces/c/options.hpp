/// \file  Options by key and value.
#pragma once

#include <string>

#include "chamomile/force/option_table.hpp"

namespace chamomile::c {

/// FieldOptions holds the options for a context's solver.
struct FieldOptions {
    KeyedOptions forces;
    int threads = 0;      ///< 0: OpenMP's choice
    int first_number = 0; ///< of particles and targets in messages
};

using ContextRows = std::vector<OptionRow<FieldOptions>>;

/// Sets one option of chm_set_option() or of the rows `more`, in any order. Throws Error(usage) for
/// an unknown key, word or number, Error(device) for a missing GPU. `options` are then unchanged.
void set_option(FieldOptions& options, const std::string& key, const std::string& value,
                const ContextRows& more = {});

/// Returns all options in words, for chm_options().
const std::string& options_text();

/// Returns solver options for sources with or without per-particle softening. Throws Error(usage)
/// for options that contradict each other or `has_own_softenings`.
SolverOptions solver_options(const FieldOptions& options, bool has_own_softenings);

/// Returns how texts spell options and number items for a caller who counts from `first`.
Spelling spelling_from(int first);

} // namespace chamomile::c
