/// \file  Options by key and value.
#pragma once

#include <string>

#include "chamomile/force/solver.hpp"

namespace chamomile::c {

/// What a context's solver is made of.
struct FieldOptions {
    SolverOptions solver;
    int threads = 0;              ///< 0: OpenMP's choice
    int first_number = 0;         ///< of particles and targets in lines of errors
    bool criterion_given = false; ///< so that theta and tolerance no longer choose it
};

/// Takes one option of chm_set_option(). Throws Error(usage) for a key, word or number that it does
/// not know, Error(device) for a GPU that is not there; `options` stay as they were then.
void set_option(FieldOptions& options, const std::string& key, const std::string& value);

/// Their ranges, without a look for GPUs. Throws Error(usage).
void check(const FieldOptions& options);

/// A number and nothing behind it.
double number(const std::string& key, const std::string& text);

} // namespace chamomile::c
